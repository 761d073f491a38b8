#include "distributed/derived_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numeric.hpp"
#include "distributed/distributed_sort.hpp"
#include "network_ridge/curve_features.hpp"
#include "network_ridge/smooth_features.hpp"

namespace cone::distributed {
namespace {

/// Rows of all ranks at equal steps through their sorted order, on every rank; all rows where there
/// are few.
Matrix<double> sample_rows(const Communicator& comm, const LocalData& local) {
  const Matrix<double> sorted = distributed_sort(comm, local.numeric);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  const std::uint64_t n = local.global.num_nodes;
  const std::uint64_t count = std::min<std::uint64_t>(n, kMostSampledRows);
  std::vector<double> own;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t wanted = k * n / count;
    if (wanted < before || wanted >= before + sorted.rows()) continue;
    const auto row = sorted.row(wanted - before);
    own.insert(own.end(), row.begin(), row.end());
  }
  Matrix<double> out(count, local.numeric.cols());
  std::ranges::copy(comm.allgatherv(own), out.data());
  return out;
}

/// A candidate for the next pivot: the node with the largest value.
struct Candidate {
  double value = 0;
  std::uint64_t arm = 0, number = 0, rank = 0, position = 0;
  bool exists = false;
};

/// The best candidate of all ranks; ties go to the node that one process would take.
Candidate choose_pivot(const Communicator& comm, const Candidate& own) {
  Candidate best;
  for (const Candidate& other : comm.allgatherv(std::span(&own, 1))) {
    if (!other.exists) continue;
    const bool is_better = !best.exists || other.value > best.value ||
                           (other.value == best.value &&
                            std::pair(other.arm, other.number) < std::pair(best.arm, best.number));
    if (is_better) best = other;
  }
  return best;
}

Candidate candidate_at(const Communicator& comm, const LocalData& local, std::size_t position,
                       double value) {
  return {value, local.arm_of(position), local.number[position], comm.rank(), position, true};
}

/// The pivot's numeric features and its row of the factor, on every rank.
std::vector<double> broadcast_pivot(const Communicator& comm, const LocalData& local,
                                    const Candidate& pivot, const Matrix<double>& factor,
                                    std::size_t rank) {
  std::vector<double> row(local.numeric.cols() + rank, 0.0);
  if (pivot.rank == comm.rank()) {
    std::ranges::copy(local.numeric.row(pivot.position), row.begin());
    std::copy_n(factor.row(pivot.position).begin(), rank,
                row.begin() + static_cast<std::ptrdiff_t>(local.numeric.cols()));
  }
  comm.allreduce(row);
  return row;
}

}  // namespace

Matrix<double> distributed_smooth_features(const Context& context, const Communicator& comm,
                                           const LocalData& local) {
  const double bandwidth = find_bandwidth(context, sample_rows(comm, local));
  const std::size_t most = std::min<std::uint64_t>(kMostSmoothFeatures, local.global.num_nodes);
  const std::size_t width = local.numeric.cols();
  Matrix<double> factor(local.size(), most);
  std::vector<double> residual(local.size(), 1.0);
  Candidate own;
  for (std::size_t p = 0; p < local.size(); ++p) {  // the first pivot is nearest the mean
    const double nearness = -dot(local.numeric.row(p), local.numeric.row(p));
    if (!own.exists || nearness > own.value) own = candidate_at(comm, local, p, nearness);
  }
  Candidate pivot = choose_pivot(comm, own);
  double largest_residual = 1;
  std::size_t rank = 0;
  for (; rank < most && largest_residual > kNegligibleResidual; ++rank) {
    context.poll();
    const double root = std::sqrt(largest_residual);
    const std::vector<double> row = broadcast_pivot(comm, local, pivot, factor, rank);
    const std::span<const double> pivot_features = std::span(row).first(width);
    const std::span<const double> pivot_factor = std::span(row).subspan(width);
    own = {};
    for (std::size_t p = 0; p < local.size(); ++p) {
      const bool is_pivot = pivot.rank == comm.rank() && pivot.position == p;
      double distance = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const double d = local.numeric(p, c) - pivot_features[c];
        distance += d * d;
      }
      const double kernel = std::exp(-distance / (2 * bandwidth * bandwidth));
      const double value =
          is_pivot ? root : (kernel - dot(factor.row(p).first(rank), pivot_factor)) / root;
      factor(p, rank) = value;
      residual[p] = is_pivot ? 0.0 : std::max(0.0, residual[p] - value * value);
      if (!own.exists || residual[p] > own.value) own = candidate_at(comm, local, p, residual[p]);
    }
    pivot = choose_pivot(comm, own);
    largest_residual = pivot.value;
  }
  Matrix<double> out(local.size(), rank);
  for (std::size_t p = 0; p < local.size(); ++p) {
    std::copy_n(factor.row(p).begin(), rank, out.row(p).begin());
  }
  return out;
}

Matrix<double> distributed_curve_features(const Context& context, const Communicator& comm,
                                          const LocalData& local) {
  std::vector<RankedColumn> ranked;
  for (std::size_t c = 0; c < local.numeric.cols(); ++c) {
    ranked.push_back(find_mid_ranks(comm, local, c));
  }
  return make_curve_features(context, ranked, local.size());
}

}  // namespace cone::distributed

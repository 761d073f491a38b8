#include "network_ridge/smooth_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "cone/context.hpp"

#include "base/numeric.hpp"
#include "exec/distributed_sort.hpp"

namespace cone {
namespace {

constexpr std::size_t kSmoothRowsPerPiece = 2048;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double total = 0;
  for (std::size_t c = 0; c < a.size(); ++c) total += (a[c] - b[c]) * (a[c] - b[c]);
  return total;
}

/// Rows of all ranks at equal steps through the lexicographic order, which does not depend on the
/// given order; all rows where there are few.
Matrix<double> sample_rows(const Communicator& comm, const Matrix<double>& rows) {
  const auto n = static_cast<std::uint64_t>(comm.count(rows.rows()));
  if (!comm.has_others() && n <= kMostSampledRows) return rows;
  const Matrix<double> sorted = distributed_sort(comm, rows);
  const std::uint64_t before = comm.exclusive_scan(std::uint64_t{sorted.rows()});
  const std::uint64_t count = std::min<std::uint64_t>(n, kMostSampledRows);
  std::vector<double> own;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t wanted = k * n / count;
    if (wanted < before || wanted >= before + sorted.rows()) continue;
    const auto row = sorted.row(wanted - before);
    own.insert(own.end(), row.begin(), row.end());
  }
  Matrix<double> out(count, rows.cols());
  std::ranges::copy(comm.allgatherv(own), out.data());
  return out;
}

/// A row that may become the next pivot: one with the largest value.
struct Candidate {
  double value = 0;
  std::uint64_t order = 0;
  std::uint64_t rank = 0;
  std::uint64_t row = 0;
  bool exists = false;

  bool is_better_than(const Candidate& other) const {
    if (!exists || !other.exists) return exists;
    return value > other.value || (value == other.value && order < other.order);
  }
};

/// The best candidate of all ranks.
Candidate choose_pivot(const Communicator& comm, const Candidate& own) {
  Candidate best;
  for (const Candidate& other : comm.allgatherv(std::span(&own, 1))) {
    if (other.is_better_than(best)) best = other;
  }
  return best;
}

/// out = the columns of the first rows of `table` from `begin` on, times `weights`.
void multiply_columns(const Matrix<double>& table, std::size_t begin,
                      std::span<const double> weights, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (std::size_t r = 0; r < weights.size(); ++r) {
    const double weight = weights[r];
    const double* from = table.row(r).data() + begin;
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += from[k] * weight;
  }
}

}  // namespace

double find_bandwidth(const Context& context, const Matrix<double>& sample) {
  std::vector<double> distances;
  for (std::size_t i = 0; i < sample.rows(); ++i) {
    context.poll();
    for (std::size_t j = 0; j < i; ++j) {
      const double d = squared_distance(sample.row(i), sample.row(j));
      if (d > 0) distances.push_back(d);
    }
  }
  if (distances.empty()) return 1;
  const auto upper = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), upper, distances.end());
  if (distances.size() % 2 == 1) return std::sqrt(*upper);
  const double lower = *std::max_element(distances.begin(), upper);
  return 0.5 * (std::sqrt(lower) + std::sqrt(*upper));
}

SmoothFeatures make_smooth_features(const Context& context, const Matrix<double>& rows,
                                    std::span<const std::uint64_t> order,
                                    std::size_t most_features) {
  const Communicator& comm = context.comm();
  const std::size_t n = rows.rows();
  const std::size_t width = rows.cols();
  const double bandwidth = find_bandwidth(context, sample_rows(comm, rows));
  const auto most = std::min<std::size_t>(most_features, static_cast<std::size_t>(comm.count(n)));
  const auto candidate_at = [&](std::size_t i, double value) {
    return Candidate{value, order.empty() ? i : order[i], comm.rank(), i, true};
  };
  // Transposed: the values of one feature are contiguous, so that vector registers hold several
  // rows.
  Matrix<double> factor(most, n);
  std::vector<double> residual(n, 1.0);
  // The first pivot: all rows have the same residual then, so the one nearest the mean is taken.
  Candidate own;
  for (std::size_t i = 0; i < n; ++i) {
    const Candidate other = candidate_at(i, -dot(rows.row(i), rows.row(i)));
    if (other.is_better_than(own)) own = other;
  }
  Candidate pivot = choose_pivot(comm, own);
  double largest_residual = 1;
  std::size_t rank = 0;
  for (; rank < most && largest_residual > kNegligibleResidual; ++rank) {
    const double root = std::sqrt(largest_residual);
    const bool owns_pivot = pivot.rank == comm.rank();
    std::vector<double> of_pivot(width + rank);  // its row, then its features
    if (owns_pivot) {
      std::ranges::copy(rows.row(pivot.row), of_pivot.begin());
      for (std::size_t r = 0; r < rank; ++r) of_pivot[width + r] = factor(r, pivot.row);
    }
    comm.broadcast(pivot.rank, of_pivot);
    const std::span<const double> pivot_row = std::span(of_pivot).first(width);
    const std::span<const double> pivot_features = std::span(of_pivot).subspan(width);
    const auto furthest = context.map_ranges<Candidate>(
        n, kSmoothRowsPerPiece, [&](std::size_t begin, std::size_t end) {
          const std::span<double> values = factor.row(rank).subspan(begin, end - begin);
          multiply_columns(factor, begin, pivot_features, values);
          Candidate worst;
          for (std::size_t i = begin; i < end; ++i) {
            double& value = values[i - begin];
            const bool is_pivot = owns_pivot && i == pivot.row;
            const double kernel =
                std::exp(-squared_distance(rows.row(i), pivot_row) / (2 * bandwidth * bandwidth));
            value = is_pivot ? root : (kernel - value) / root;
            residual[i] = is_pivot ? 0.0 : std::max(0.0, residual[i] - value * value);
            const Candidate other = candidate_at(i, residual[i]);
            if (other.is_better_than(worst)) worst = other;
          }
          return worst;
        });
    own = {};
    for (const Candidate& other : furthest) {
      if (other.is_better_than(own)) own = other;
    }
    pivot = choose_pivot(comm, own);
    largest_residual = pivot.value;
  }
  Matrix<double> features(n, rank);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < rank; ++r) features(i, r) = factor(r, i);
  }
  return {std::move(features), bandwidth};
}

}  // namespace cone

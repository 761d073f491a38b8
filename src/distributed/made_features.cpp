#include "distributed/made_features.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/numeric.hpp"
#include "distributed/sort_together.hpp"
#include "network_ridge/curve_features.hpp"
#include "network_ridge/smooth_features.hpp"

namespace cone::distributed {
namespace {

/// The rows of the whole at equal steps through their order, for all ranks; all of them where they
/// are few.
Matrix<double> sample_rows(const Ranks& ranks, const Share& share) {
  const Matrix<double> sorted = sort_together(ranks, share.columns);
  const std::uint64_t before = ranks.exclusive_scan(std::uint64_t{sorted.rows()});
  const std::uint64_t n = share.whole.num_nodes;
  const std::uint64_t count = std::min<std::uint64_t>(n, kMostSampledRows);
  std::vector<double> own;
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t wanted = k * n / count;
    if (wanted < before || wanted >= before + sorted.rows()) continue;
    const auto row = sorted.row(wanted - before);
    own.insert(own.end(), row.begin(), row.end());
  }
  Matrix<double> out(count, share.columns.cols());
  std::ranges::copy(ranks.allgather(own), out.data());
  return out;
}

/// The best of all ranks' candidates; of equals the one that one machine would meet first.
struct Candidate {
  double value = 0;
  std::uint64_t arm = 0, number = 0, rank = 0, position = 0;
  bool exists = false;
};

Candidate choose(const Ranks& ranks, const Candidate& own) {
  Candidate best;
  for (const Candidate& other : ranks.allgather(std::span(&own, 1))) {
    if (!other.exists) continue;
    const bool is_better = !best.exists || other.value > best.value ||
                           (other.value == best.value &&
                            std::pair(other.arm, other.number) < std::pair(best.arm, best.number));
    if (is_better) best = other;
  }
  return best;
}

Candidate candidate_at(const Ranks& ranks, const Share& share, std::size_t position, double value) {
  return {value, share.arm_of(position), share.number[position], ranks.rank(), position, true};
}

/// The pivot's measurements and its row of the factor, for all ranks.
std::vector<double> share_pivot(const Ranks& ranks, const Share& share, const Candidate& pivot,
                                const Matrix<double>& factor, std::size_t rank) {
  std::vector<double> row(share.columns.cols() + rank, 0.0);
  if (pivot.rank == ranks.rank()) {
    std::ranges::copy(share.columns.row(pivot.position), row.begin());
    std::copy_n(factor.row(pivot.position).begin(), rank,
                row.begin() + static_cast<std::ptrdiff_t>(share.columns.cols()));
  }
  ranks.allreduce(row);
  return row;
}

}  // namespace

Matrix<double> make_smooth_together(const Context& context, const Ranks& ranks,
                                    const Share& share) {
  const double bandwidth = find_bandwidth(context, sample_rows(ranks, share));
  const std::size_t most = std::min<std::uint64_t>(kMostSmoothFeatures, share.whole.num_nodes);
  const std::size_t width = share.columns.cols();
  Matrix<double> factor(share.size(), most);
  std::vector<double> missing(share.size(), 1.0);
  Candidate own;
  for (std::size_t p = 0; p < share.size(); ++p) {  // the one nearest the middle goes first
    const double nearness = -dot(share.columns.row(p), share.columns.row(p));
    if (!own.exists || nearness > own.value) own = candidate_at(ranks, share, p, nearness);
  }
  Candidate pivot = choose(ranks, own);
  double left = 1;
  std::size_t rank = 0;
  for (; rank < most && left > kMissingOfRow; ++rank) {
    context.poll();
    const double root = std::sqrt(left);
    const std::vector<double> row = share_pivot(ranks, share, pivot, factor, rank);
    const std::span<const double> measured = std::span(row).first(width);
    const std::span<const double> of_pivot = std::span(row).subspan(width);
    own = {};
    for (std::size_t p = 0; p < share.size(); ++p) {
      const bool is_pivot = pivot.rank == ranks.rank() && pivot.position == p;
      double distance = 0;
      for (std::size_t c = 0; c < width; ++c) {
        const double d = share.columns(p, c) - measured[c];
        distance += d * d;
      }
      const double kernel = std::exp(-distance / (2 * bandwidth * bandwidth));
      const double value =
          is_pivot ? root : (kernel - dot(factor.row(p).first(rank), of_pivot)) / root;
      factor(p, rank) = value;
      missing[p] = is_pivot ? 0.0 : std::max(0.0, missing[p] - value * value);
      if (!own.exists || missing[p] > own.value) own = candidate_at(ranks, share, p, missing[p]);
    }
    pivot = choose(ranks, own);
    left = pivot.value;
  }
  Matrix<double> out(share.size(), rank);
  for (std::size_t p = 0; p < share.size(); ++p) {
    std::copy_n(factor.row(p).begin(), rank, out.row(p).begin());
  }
  return out;
}

Matrix<double> make_curves_together(const Context& context, const Ranks& ranks,
                                    const Share& share) {
  std::vector<RankedColumn> ranked;
  for (std::size_t c = 0; c < share.columns.cols(); ++c) {
    ranked.push_back(rank_together(ranks, share, c));
  }
  return make_curve_features(context, ranked, share.size());
}

}  // namespace cone::distributed

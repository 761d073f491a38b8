#include "policy_tree/screen_columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "policy_tree/integer_scores.hpp"

namespace cone {
namespace {

/// Exact sums: independent of the order of the nodes.
using Wide = __int128;

/// Contrast of an arm with the mean of all arms, times the number of arms, as integers. Of two arms
/// one suffices.
struct Contrasts {
  std::vector<std::vector<std::int64_t>> of_arm;
  std::vector<double> spread;  ///< √(n Σ s² − (Σ s)²) of every arm
};

/// √(n·Σx² − (Σx)²)
double spread_of(Wide count, Wide sum, Wide squares) {
  return std::sqrt(static_cast<double>(count * squares - sum * sum));
}

Contrasts make_contrasts(const Matrix<double>& scores) {
  const IntegerScores rounded = round_scores(scores.view());
  const std::size_t n = rounded.num_nodes;
  const auto num_arms = static_cast<std::int64_t>(rounded.num_arms);
  Contrasts out;
  for (std::size_t a = rounded.num_arms == 2 ? 1 : 0; a < rounded.num_arms; ++a) {
    std::vector<std::int64_t> contrast(n);
    Wide sum = 0;
    Wide squares = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::int64_t total = 0;
      for (std::size_t b = 0; b < rounded.num_arms; ++b) total += rounded.of_arm(b)[i];
      contrast[i] = num_arms * rounded.of_arm(a)[i] - total;
      sum += contrast[i];
      squares += Wide{contrast[i]} * contrast[i];
    }
    out.spread.push_back(spread_of(static_cast<Wide>(n), sum, squares));
    out.of_arm.push_back(std::move(contrast));
  }
  return out;
}

/// Twice the rank of every value, less the mean; zeros are tied and need no sorting.
void rank_values(std::span<const double> values, std::vector<std::uint32_t>& order,
                 std::span<std::int64_t> doubled) {
  order.clear();
  std::size_t num_negative = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] == 0) continue;
    order.push_back(static_cast<std::uint32_t>(i));
    num_negative += values[i] < 0 ? 1 : 0;
  }
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  const std::size_t num_zeros = values.size() - order.size();
  const auto shared = [&](std::size_t begin, std::size_t end) {
    return static_cast<std::int64_t>(begin + end) - static_cast<std::int64_t>(values.size());
  };
  std::fill(doubled.begin(), doubled.end(), shared(num_negative, num_negative + num_zeros));
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const std::size_t shift = values[order[begin]] > 0 ? num_zeros : 0;
    for (std::size_t k = begin; k < end; ++k)
      doubled[order[k]] = shared(begin + shift, end + shift);
    begin = end;
  }
}

double associate(std::span<const std::int64_t> ranks, std::span<const NodeIndex> nodes,
                 const Contrasts& contrasts) {
  const auto n = static_cast<Wide>(nodes.size());
  Wide rank_sum = 0;
  Wide rank_squares = 0;
  for (const NodeIndex i : nodes) {
    rank_sum += ranks[i];
    rank_squares += Wide{ranks[i]} * ranks[i];
  }
  const double rank_spread = spread_of(n, rank_sum, rank_squares);
  if (rank_spread == 0) return 0;
  double best = 0;
  for (std::size_t a = 0; a < contrasts.of_arm.size(); ++a) {
    if (contrasts.spread[a] == 0) continue;
    Wide product = 0;
    Wide sum = 0;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      product += Wide{ranks[nodes[k]]} * contrasts.of_arm[a][k];
      sum += contrasts.of_arm[a][k];
    }
    const auto covariance = static_cast<double>(n * product - rank_sum * sum);
    best = std::max(best, std::abs(covariance) / rank_spread / contrasts.spread[a]);
  }
  return best;
}

std::vector<std::size_t> take_best(const Matrix<double>& associations, std::size_t set,
                                   std::size_t most) {
  std::vector<std::size_t> chosen;
  for (std::size_t c = 0; c < associations.rows(); ++c) {
    if (associations(c, set) > 0) chosen.push_back(c);
  }
  std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
    return associations(a, set) > associations(b, set);
  });
  chosen.resize(std::min(chosen.size(), most));
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace

std::vector<std::vector<std::size_t>> screen_columns(const Context& context,
                                                     const RuleColumns& columns,
                                                     std::size_t num_nodes,
                                                     std::span<const TrainingScores> training,
                                                     std::size_t most) {
  std::vector<Contrasts> contrasts;
  for (const TrainingScores& set : training) {
    context.poll();
    contrasts.push_back(make_contrasts(set.scores));
  }
  Matrix<double> associations(columns.size(), training.size());
  constexpr std::size_t kColumnsPerTask = 8;  // share their memory
  const std::size_t num_tasks = (columns.size() + kColumnsPerTask - 1) / kColumnsPerTask;
  context.for_each_task("screening columns", num_tasks, [&](std::size_t task) {
    std::vector<double> values(num_nodes);
    std::vector<std::int64_t> ranks(num_nodes);
    std::vector<std::uint32_t> order;
    const std::size_t end = std::min(columns.size(), (task + 1) * kColumnsPerTask);
    for (std::size_t c = task * kColumnsPerTask; c < end; ++c) {
      context.poll();
      columns.fill(c, values);
      rank_values(values, order, ranks);
      for (std::size_t set = 0; set < training.size(); ++set) {
        associations(c, set) = associate(ranks, training[set].nodes, contrasts[set]);
      }
    }
  });
  std::vector<std::vector<std::size_t>> chosen;
  for (std::size_t set = 0; set < training.size(); ++set) {
    chosen.push_back(take_best(associations, set, most));
  }
  return chosen;
}

}  // namespace cone

#include "policy_tree/search.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace cone {
namespace {

/// A first split, and its value with the best single splits below it.
struct FirstSplit {
  std::size_t column = 0;
  std::size_t cut = 0;
  std::int64_t sum = CutValues::kRefused;
  std::uint8_t leaves = 0;

  /// Larger sums first, then fewer leaves, earlier columns, smaller thresholds.
  bool operator<(const FirstSplit& other) const {
    if (sum != other.sum) return sum > other.sum;
    return std::tuple(leaves, column, cut) < std::tuple(other.leaves, other.column, other.cut);
  }
};

std::vector<std::int64_t> sum_arms(const IntegerScores& scores) {
  std::vector<std::int64_t> totals(scores.num_arms);
  for (std::size_t a = 0; a < scores.num_arms; ++a) {
    totals[a] =
        std::accumulate(scores.of_arm(a), scores.of_arm(a) + scores.num_nodes, std::int64_t{0});
  }
  return totals;
}

/// The midpoint; between adjacent floating-point numbers the lower one.
double half_way(double below, double above) {
  const double middle = below / 2 + above / 2;
  return middle >= below && middle < above ? middle : below;
}

void append_tree(const PolicyTree& from, PolicyTree& to) {
  const auto shift = static_cast<std::int32_t>(to.nodes.size());
  for (RuleNode node : from.nodes) {
    if (!node.is_leaf()) {
      node.left += shift;
      node.right += shift;
    }
    to.nodes.push_back(node);
  }
}

FoundTree join_trees(const TreeRows& rows, std::size_t column, std::size_t cut,
                     const FoundTree& left, const FoundTree& right) {
  const std::vector<double>& values = rows.columns[column].values;
  RuleNode root;
  root.column = static_cast<std::int32_t>(column);
  root.below = values[cut];
  root.above = values[cut + 1];
  root.threshold = half_way(root.below, root.above);
  root.num_nodes = rows.size();
  return {join_subtrees(root, left.tree, right.tree), left.sum + right.sum};
}

/// The best cut of a column as the only split.
FirstSplit best_single_cut(const TreeRows& rows, std::size_t column,
                           std::span<const std::int64_t> all) {
  const SortedColumn& sorted = rows.columns[column];
  std::vector<std::int64_t> left(all.size(), 0);
  FirstSplit best{.column = column};
  std::uint64_t size = 0;
  for (std::size_t cut = 0; cut + 1 < sorted.num_ranks(); ++cut) {
    const auto joining = sorted.rows_of(cut);
    size += joining.size();
    std::int64_t left_best = CutValues::kRefused;
    std::int64_t right_best = CutValues::kRefused;
    for (std::size_t a = 0; a < all.size(); ++a) {
      const std::int64_t* scores = rows.scores.of_arm(a);
      for (const std::uint32_t row : joining) left[a] += scores[row];
      left_best = std::max(left_best, left[a]);
      right_best = std::max(right_best, all[a] - left[a]);
    }
    if (size < rows.min_leaf || rows.size() - size < rows.min_leaf) continue;
    if (left_best + right_best > best.sum) {
      best.sum = left_best + right_best;
      best.cut = cut;
    }
  }
  return best;
}

/// Both sides of a first split continue with trees of that depth.
FoundTree grow(const Context& context, const TreeRows& rows, const FirstSplit& first,
               std::uint32_t depth) {
  const RowSplit split = split_rows(rows.columns[first.column], first.cut);
  FoundTree sides[2];
  for (int side = 0; side < 2; ++side) {
    const StageScope stage(context, side == 0 ? "left" : "right", 0.5 * side, 0.5 * (side + 1));
    const auto& taken = side == 0 ? split.left : split.right;
    const SortedColumns columns = take_rows_sorted(context, rows.columns, taken);
    const IntegerScores scores = rows.scores.take(taken);
    sides[side] = find_tree(context, {columns, scores, rows.min_leaf}, depth);
  }
  return join_trees(rows, first.column, first.cut, sides[0], sides[1]);
}

/// Of every column the best cut and those at the deciles of its rows, best first.
std::vector<FirstSplit> list_first_splits(const TreeRows& rows, std::span<const CutValues> values,
                                          bool deciles) {
  std::vector<FirstSplit> list;
  for (std::size_t c = 0; c < values.size(); ++c) {
    const CutValues& cuts = values[c];
    const auto split_at = [&](std::size_t cut) {
      return FirstSplit{c, cut, cuts.sum[cut], cuts.leaves[cut]};
    };
    FirstSplit best{.column = c};
    for (std::size_t cut = 0; cut < cuts.sum.size(); ++cut) {
      if (cuts.sum[cut] != CutValues::kRefused) best = std::min(best, split_at(cut));
    }
    if (best.sum == CutValues::kRefused) continue;
    list.push_back(best);
    std::size_t last = best.cut;
    for (std::size_t tenth = 1; deciles && tenth < 10; ++tenth) {
      const SortedColumn& column = rows.columns[c];
      const std::size_t cut = column.rank[column.order[tenth * rows.size() / 10]];
      if (cut >= cuts.sum.size() || cut == last || cut == best.cut) continue;
      last = cut;
      if (cuts.sum[cut] != CutValues::kRefused) list.push_back(split_at(cut));
    }
  }
  std::sort(list.begin(), list.end());
  return list;
}

}  // namespace

bool FoundTree::beats(const FoundTree& other) const {
  if (sum != other.sum) return sum > other.sum;
  return tree.num_leaves() < other.tree.num_leaves();
}

PolicyTree join_subtrees(RuleNode split, const PolicyTree& left, const PolicyTree& right) {
  split.left = 1;
  split.right = static_cast<std::int32_t>(1 + left.nodes.size());
  PolicyTree out{{split}};
  append_tree(left, out);
  append_tree(right, out);
  return out;
}

FoundTree find_leaf(const TreeRows& rows) {
  const std::vector<std::int64_t> totals = sum_arms(rows.scores);
  const auto best = std::max_element(totals.begin(), totals.end());
  RuleNode leaf;
  leaf.arm = static_cast<Arm>(best - totals.begin());
  leaf.num_nodes = rows.size();
  return {.tree = {{leaf}}, .sum = *best};
}

FoundTree find_stump(const Context& context, const TreeRows& rows) {
  FoundTree leaf = find_leaf(rows);
  if (rows.size() < 2 * rows.min_leaf) return leaf;
  const std::vector<std::int64_t> all = sum_arms(rows.scores);
  FirstSplit best;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    context.poll();
    const FirstSplit found = best_single_cut(rows, c, all);
    if (found.sum > best.sum) best = found;
  }
  if (best.sum <= leaf.sum) return leaf;
  return grow(context, rows, best, 0);
}

FoundTree find_tree(const Context& context, const TreeRows& rows, std::uint32_t depth) {
  if (depth == 0) return find_leaf(rows);
  if (depth == 1) return find_stump(context, rows);
  FoundTree best = find_leaf(rows);
  if (rows.size() < 2 * rows.min_leaf) return best;
  constexpr double kLooking = 0.9;  // of the time of depth 2
  const double looking = depth == 2 ? kLooking : 1.0 / (kFirstSplits + 1);
  std::vector<FirstSplit> splits;
  {
    const StageScope stage(context, "first split", 0, looking);
    splits = list_first_splits(rows, look_ahead(context, rows), /*deciles=*/depth > 2);
  }
  if (splits.empty()) return best;
  splits.resize(std::min(splits.size(), depth == 2 ? 1 : kFirstSplits));
  for (std::size_t k = 0; k < splits.size(); ++k) {
    const double step = (1 - looking) / static_cast<double>(splits.size());
    const StageScope stage(context, fmt::format("split {} of {}", k + 1, splits.size()),
                           looking + step * static_cast<double>(k),
                           looking + step * static_cast<double>(k + 1));
    FoundTree found = grow(context, rows, splits[k], depth - 1);
    if (found.beats(best)) best = std::move(found);
  }
  return best;
}

}  // namespace cone

#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "cone/learn_policy.hpp"
#include "cone/matrix.hpp"

namespace cone::testing {

/// A tree by trying every split at every node, with the documented order of ties: larger sum,
/// fewer leaves, earlier column, smaller threshold.
struct BruteTree {
  PolicyTree tree;
  double sum = 0;
};

inline BruteTree brute_leaf(MatrixView<const double> scores, std::span<const std::size_t> rows) {
  RuleNode leaf;
  leaf.num_nodes = rows.size();
  double best = 0;
  for (std::size_t a = 0; a < scores.cols(); ++a) {
    double sum = 0;
    for (const std::size_t i : rows) sum += scores(i, a);
    if (a == 0 || sum > best) {
      best = sum;
      leaf.arm = static_cast<Arm>(a);
    }
  }
  return {{{leaf}}, best};
}

inline BruteTree brute_tree(MatrixView<const double> columns, MatrixView<const double> scores,
                            std::span<const std::size_t> rows, int depth, std::size_t min_leaf) {
  BruteTree best = brute_leaf(scores, rows);
  if (depth == 0) return best;
  for (std::size_t c = 0; c < columns.cols(); ++c) {
    std::set<double> values;
    for (const std::size_t i : rows) values.insert(columns(i, c));
    for (auto at = values.begin(); at != values.end() && std::next(at) != values.end(); ++at) {
      std::vector<std::size_t> sides[2];
      for (const std::size_t i : rows) sides[columns(i, c) <= *at ? 0 : 1].push_back(i);
      if (sides[0].size() < min_leaf || sides[1].size() < min_leaf) continue;
      const BruteTree left = brute_tree(columns, scores, sides[0], depth - 1, min_leaf);
      const BruteTree right = brute_tree(columns, scores, sides[1], depth - 1, min_leaf);
      const double sum = left.sum + right.sum;
      const std::size_t leaves = left.tree.num_leaves() + right.tree.num_leaves();
      if (sum < best.sum || (sum == best.sum && leaves >= best.tree.num_leaves())) continue;
      RuleNode root;
      root.column = static_cast<std::int32_t>(c);
      root.below = *at;
      root.above = *std::next(at);
      root.threshold = (root.below + root.above) / 2;
      root.num_nodes = rows.size();
      root.left = 1;
      root.right = static_cast<std::int32_t>(1 + left.tree.nodes.size());
      best = {{{root}}, sum};
      for (const auto* part : {&left.tree, &right.tree}) {
        const auto shift = static_cast<std::int32_t>(best.tree.nodes.size());
        for (RuleNode node : part->nodes) {
          if (!node.is_leaf()) {
            node.left += shift;
            node.right += shift;
          }
          best.tree.nodes.push_back(node);
        }
      }
    }
  }
  return best;
}

inline BruteTree brute_tree(MatrixView<const double> columns, MatrixView<const double> scores,
                            int depth, std::size_t min_leaf) {
  std::vector<std::size_t> rows(columns.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return brute_tree(columns, scores, rows, depth, min_leaf);
}

inline bool same_tree(const PolicyTree& a, const PolicyTree& b) {
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [](const RuleNode& x, const RuleNode& y) {
                      return x.column == y.column && x.threshold == y.threshold &&
                             x.below == y.below && x.above == y.above && x.left == y.left &&
                             x.right == y.right && x.arm == y.arm && x.num_nodes == y.num_nodes;
                    });
}

/// The sum of scores under the arms of a tree.
inline double sum_of(const PolicyTree& tree, MatrixView<const double> columns,
                     MatrixView<const double> scores) {
  double sum = 0;
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    sum += scores(i, tree.leaf_of(columns.row(i)).arm);
  }
  return sum;
}

inline double treated_share(const PolicyTree& tree, MatrixView<const double> columns) {
  double treated = 0;
  for (std::size_t i = 0; i < columns.rows(); ++i) {
    treated += tree.leaf_of(columns.row(i)).arm != kControlArm ? 1 : 0;
  }
  return treated / static_cast<double>(columns.rows());
}

}  // namespace cone::testing

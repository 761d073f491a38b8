#include "policy_tree/spend.hpp"

#include <span>
#include <vector>

namespace cone {
namespace {

/// Sums of the scores of every arm over the rows of each leaf.
std::vector<std::vector<std::int64_t>> sum_leaves(const TreeRows& rows, const PolicyTree& tree) {
  const std::size_t num_arms = rows.scores.num_arms;
  std::vector<std::vector<std::int64_t>> sums(tree.nodes.size(),
                                              std::vector<std::int64_t>(num_arms, 0));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t at = 0;
    while (!tree.nodes[at].is_leaf()) {
      const RuleNode& node = tree.nodes[at];
      const SortedColumn& column = rows.columns[static_cast<std::size_t>(node.column)];
      const bool yes = column.values[column.rank[i]] <= node.threshold;
      at = static_cast<std::size_t>(yes ? node.left : node.right);
    }
    for (std::size_t a = 0; a < num_arms; ++a) sums[at][a] += rows.scores.of_arm(a)[i];
  }
  return sums;
}

/// The index of the root's child on the given side.
std::size_t child_of(const PolicyTree& tree, bool is_left) {
  return static_cast<std::size_t>(is_left ? tree.nodes[0].left : tree.nodes[0].right);
}

/// Whether `after` splits on the column of `before` and has, on the side of `leaf`, a leaf with the
/// same arm.
bool repeats_leaf(const RuleNode& before, const PolicyTree& after, std::span<const RuleNode> leaf,
                  bool is_left) {
  if (leaf.size() != 1 || after.nodes[0].column != before.column) return false;
  const RuleNode& child = after.nodes[child_of(after, is_left)];
  return child.is_leaf() && child.arm == leaf[0].arm;
}

/// The units of `leaf` join those of the child on that side.
PolicyTree widen_leaf(PolicyTree tree, const RuleNode& leaf, bool to_left) {
  tree.nodes[0].num_nodes += leaf.num_nodes;
  tree.nodes[child_of(tree, to_left)].num_nodes += leaf.num_nodes;
  return tree;
}

/// The subtree at `at`, without redundant splits.
PolicyTree prune(const PolicyTree& tree, std::size_t at) {
  RuleNode node = tree.nodes[at];
  if (node.is_leaf()) return {{node}};
  const PolicyTree left = prune(tree, static_cast<std::size_t>(node.left));
  const PolicyTree right = prune(tree, static_cast<std::size_t>(node.right));
  if (left.nodes.size() == 1 && right.nodes.size() == 1 &&
      left.nodes[0].arm == right.nodes[0].arm) {
    RuleNode leaf;
    leaf.arm = left.nodes[0].arm;
    leaf.num_nodes = node.num_nodes;
    return {{leaf}};
  }
  // c <= 3 ? A : (c <= 5 ? A : B) is the same as c <= 5 ? A : B.
  if (repeats_leaf(node, right, left.nodes, /*is_left=*/true)) {
    return widen_leaf(right, left.nodes[0], /*to_left=*/true);
  }
  if (repeats_leaf(node, left, right.nodes, /*is_left=*/false)) {
    return widen_leaf(left, right.nodes[0], /*to_left=*/false);
  }
  return join_subtrees(node, left, right);
}

}  // namespace

std::uint64_t count_treated(const PolicyTree& tree) {
  std::uint64_t treated = 0;
  for (const RuleNode& node : tree.nodes) {
    if (node.is_leaf() && node.arm != kControlArm) treated += node.num_nodes;
  }
  return treated;
}

FoundTree spend_within(const TreeRows& rows, const PolicyTree& tree, std::uint64_t most) {
  const auto sums = sum_leaves(rows, tree);
  std::vector<std::size_t> leaves;
  std::vector<Arm> other;  // the best arm but the control arm
  std::int64_t base = 0;
  for (std::size_t k = 0; k < tree.nodes.size(); ++k) {
    if (!tree.nodes[k].is_leaf()) continue;
    Arm best = 1;
    for (std::size_t a = 2; a < sums[k].size(); ++a) {
      if (sums[k][a] > sums[k][best]) best = static_cast<Arm>(a);
    }
    leaves.push_back(k);
    other.push_back(best);
    base += sums[k][kControlArm];
  }
  std::uint32_t chosen = 0;
  std::int64_t best_sum = base;
  for (std::uint32_t set = 1; set < (1U << leaves.size()); ++set) {
    std::int64_t sum = base;
    std::uint64_t treated = 0;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      if ((set >> k & 1U) == 0) continue;
      sum += sums[leaves[k]][other[k]] - sums[leaves[k]][kControlArm];
      treated += tree.nodes[leaves[k]].num_nodes;
    }
    if (treated > most || sum <= best_sum) continue;
    chosen = set;
    best_sum = sum;
  }
  PolicyTree spent = tree;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    spent.nodes[leaves[k]].arm = (chosen >> k & 1U) != 0 ? other[k] : kControlArm;
  }
  return {prune(spent, 0), best_sum};
}

}  // namespace cone

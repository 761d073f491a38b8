#include <algorithm>
#include <cmath>

#include "cone/error.hpp"
#include "cone/learn_policy.hpp"

#include "policy_tree/price.hpp"
#include "policy_tree/search.hpp"

namespace cone {

const RuleNode& PolicyTree::leaf_of(std::span<const double> row) const {
  const RuleNode* node = &nodes.front();
  while (!node->is_leaf()) {
    const bool yes = row[static_cast<std::size_t>(node->column)] <= node->threshold;
    node = &nodes[static_cast<std::size_t>(yes ? node->left : node->right)];
  }
  return *node;
}

std::size_t PolicyTree::num_leaves() const {
  return static_cast<std::size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const RuleNode& n) { return n.is_leaf(); }));
}

PolicyTree learn_tree(const Context& context, MatrixView<const double> columns,
                      MatrixView<const double> scores, const TreeOptions& options) {
  validate(options);
  require(columns.rows() == scores.rows() && scores.rows() > 0, "learn_tree: rows do not match");
  require(scores.cols() >= 2 && scores.cols() <= kMaxArms, "learn_tree: 2 to 16 arms");
  return learn_priced_tree(context, columns, scores, options).tree;
}

}  // namespace cone

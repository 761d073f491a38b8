#pragma once

#include "cone/context.hpp"
#include "cone/learn_policy.hpp"
#include "cone/matrix.hpp"

namespace cone {

struct PricedTree {
  PolicyTree tree;
  double price = 0;  ///< per unit treated, in units of the scores; 0 where the budget does not bind
};

/// learn_tree, and the price that keeps it within the budget.
///
/// Lagrangian relaxation: the number of units that the best tree treats does not increase with the
/// price, so the smallest price that keeps to the budget is found by bisection, with up to
/// kPriceSteps trees. The tree at a price is the best of all that treat as many units, but few
/// numbers of treated units occur: part of the budget may stay unused. So the splits of every tree
/// met, also of those over budget, are kept and the arms of the leaves chosen within the budget
/// (spend_within); the largest sum is taken.
PricedTree learn_priced_tree(const Context& context, MatrixView<const double> columns,
                             MatrixView<const double> scores, const TreeOptions& options);

inline constexpr int kPriceSteps = 24;

}  // namespace cone

#pragma once

#include "cone/context.hpp"
#include "cone/learn_policy.hpp"
#include "cone/matrix.hpp"

namespace cone {

struct PricedTree {
  PolicyTree tree;
  double price = 0;  ///< per unit treated, in units of the scores; 0 where the budget is no limit
};

/// learn_tree, and the price that keeps it within the budget.
///
/// The best tree at a price treats no more units the higher the price is, so the least price that
/// keeps to the budget is found by bisection, up to kPriceSteps trees. A tree at a price is the
/// best of all that treat as many units, but there are few of them: between two, much of the
/// budget may lie idle. So of every tree met, those beyond the budget too, the questions are kept
/// and the arms of the leaves chosen within the budget (spend_within); the largest sum is taken.
PricedTree learn_priced_tree(const Context& context, MatrixView<const double> columns,
                             MatrixView<const double> scores, const TreeOptions& options);

inline constexpr int kPriceSteps = 24;

}  // namespace cone

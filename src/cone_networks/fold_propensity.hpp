#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "nuisance/propensity_fit.hpp"

namespace cone {

/// Logistic regression of the arm on the standardised representations z of `nodes` (ascending, row
/// k of z is that of nodes[k]), the penalty chosen by `num_folds` inner folds, or fewer where an
/// arm has fewer nodes. Where an arm has fewer than two nodes, all propensities are the shares of
/// the arms.
PropensityFit fit_fold_propensity(const Context& context, const Dataset& data,
                                  const Matrix<float>& z, std::span<const NodeIndex> nodes,
                                  int num_folds);

}  // namespace cone

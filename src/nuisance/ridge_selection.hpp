#pragma once

#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "nuisance/feature_scaling.hpp"

namespace cone {

/// The ridge penalty of task t and arm a at t·arms + a, chosen by squared error on the selection
/// splits; see LinearLearner. Throws Error(kData) where an arm is missing from all splits.
std::vector<double> select_ridge_strengths(const Context& context, const Dataset& data,
                                           const ScaledFeatures& features, const FitPlan& plan);

}  // namespace cone

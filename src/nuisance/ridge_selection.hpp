#pragma once

#include <vector>

#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nuisance/feature_scaling.hpp"
#include "nuisance/fit_plan.hpp"

namespace cone {

/// The ridge penalty of task t and arm a at t·arms + a, chosen by squared error on the selection
/// splits; see LinearLearner. Throws Error(kData) where an arm is missing from all splits.
std::vector<double> select_ridge_strengths(const Context& context, const Dataset& data,
                                           const ScaledFeatures& features, const FitPlan& plan);

}  // namespace cone

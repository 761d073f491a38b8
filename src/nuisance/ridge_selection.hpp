#pragma once

#include <optional>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "linear/linear.hpp"
#include "nuisance/feature_scaling.hpp"

namespace cone {

/// The values of task t and arm a are at index t·arms + a.
struct RidgeSelection {
  std::vector<double> strengths;
  /// The regression on all of the task's nodes, where the selection gives it at no extra cost.
  std::vector<std::optional<LinearFit>> fits;
};

/// Chooses the ridge penalties by squared error on the selection splits; see LinearLearner. Throws
/// Error(kData) where an arm is missing from all splits.
RidgeSelection select_ridge_strengths(const Context& context, const Dataset& data,
                                      const ScaledFeatures& features, const FitPlan& plan);

}  // namespace cone

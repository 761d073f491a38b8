#pragma once

#include "cone/learn.hpp"
#include "cone/options.hpp"

namespace cone {

/// Outcome models by regression with network cohesion, one per arm: linear in the features, plus an
/// effect of every node that differs little from its neighbours' (cohesion_system.hpp).
///
/// The ridge penalty of the slopes is that of dm_ridge. Given it, the penalty of the node effects
/// is chosen by squared error on the task's selection splits, for each arm separately, from
/// infinity (dm_ridge) downwards; ties go to the stronger penalty. One after the other, as fits on
/// a grid of both would take ten times as long. Predictions are linear in the outcomes, so the
/// direct method has implied weights and a standard error.
///
/// Without edges the model is that of dm_ridge, and a warning says so. Throws Error(kData) as
/// LinearLearner does.
class CohesionLearner : public Learner {
 public:
  explicit CohesionLearner(const NuisanceOptions& options) : options_(options) {}
  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override;

 private:
  NuisanceOptions options_;
};

}  // namespace cone

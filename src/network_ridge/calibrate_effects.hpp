#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Compares predicted effects with outcomes, arm by arm: fit_calibration_slope on the nodes that
/// received the arm or the control arm, and the shrinkage that follows (reported_slope). `mu` and
/// `propensity` are scored nodes of the plan × arms, both out of fold; propensities are bounded as
/// those of estimators are. Standard errors are cluster-robust where the data has clusters. One
/// entry per arm but the control arm; O(nodes · arms). Collective, as the following.
std::vector<EffectCalibration> calibrate_effects(const Dataset& data, const FitPlan& plan,
                                                 const Matrix<double>& mu,
                                                 const Matrix<double>& propensity);

/// Moves effects towards their mean (with survey weights, where there are any):
/// effect ← mean + (1 − shrinkage)·(effect − mean), and effect_sd² ← effect_sd² +
/// shrinkage²·(effect − mean)², the mean squared error of the shrunk effect under the model, whose
/// own is the effect before. Both are nodes × (arms − 1).
void shrink_effects(std::span<const EffectCalibration> calibration, const Dataset& data,
                    NodeEffects& effects);

/// The same for one column of effects.
void shrink_towards_mean(double shrinkage, std::span<const double> weight, const Communicator& comm,
                         std::vector<double>& effects);

}  // namespace cone

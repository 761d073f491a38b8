#pragma once

#include <cstddef>
#include <cstdint>
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

/// Units for which predicted effects are compared with outcomes: those that received one of two
/// arms.
struct CalibrationUnits {
  /// y − m, the outcome less its prediction without the treatment: m = e·μ_1 + (1 − e)·μ_0.
  std::span<const double> outcome_residual;
  std::span<const double> treatment_residual;  ///< w − e: the indicator less the propensity
  std::span<const double> effect;              ///< τ̂, predicted out of fold
  /// 0 to num_clusters − 1; every unit its own number where they are independent.
  std::span<const std::uint32_t> cluster;
  std::size_t num_clusters = 0;
};

/// The slope of true effects on predicted ones.
struct CalibrationSlope {
  double slope = 0;
  double standard_error = 0;
};

/// Least squares, without an intercept, of y − m on (w − e) and (w − e)·(τ̂ − mean τ̂); the
/// coefficient of the second: the best linear predictor of effects given τ̂ (Chernozhukov, Demirer,
/// Duflo and Fernández-Val 2018, "Generic machine learning inference on heterogeneous treatment
/// effects"; test_calibration of grf), which also minimises the R-learner's loss (Nie and Wager
/// 2021, "Quasi-oracle estimation of heterogeneous treatment effects"). 1: differences between
/// predicted effects are as large as those between effects; 0: they say nothing about them. It does
/// not depend on the units of the outcome, on a constant added to τ̂, or on which arm is the
/// control.
///
/// The standard error is CR3 (Bell and McCaffrey 2002), the jackknife over clusters, which is HC3
/// (MacKinnon and White 1985) where every unit is its own cluster; τ̂ and e count as given. Both are
/// NaN where the slope is not identified: effects that do not vary, no unit with w − e other than
/// 0, or a cluster without which that is so. O(units).
CalibrationSlope fit_calibration_slope(const CalibrationUnits& units);

/// The slope that effects are reported with, between 0 and 1: the posterior mean of the true slope
/// given the estimate, which is normal with that standard error, under a prior with a third each on
/// 0 (constant effects), 1 (the predictions are calibrated) and the uniform distribution between
/// them. Near 0 or 1 where the estimate says so, the estimate itself where it is precise and lies
/// between, ½ where it says nothing. Slopes above 1 give about 1: effects are never spread.
/// 1 where the estimate is not finite.
double reported_slope(const CalibrationSlope& estimate);

}  // namespace cone

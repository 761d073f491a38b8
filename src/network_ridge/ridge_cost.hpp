#pragma once

#include <cstddef>

#include "cone/options.hpp"

#include "network_ridge/network_ridge.hpp"
#include "nuisance/fit_cost.hpp"

namespace cone {

/// The expected time of the stages of a network ridge, in seconds.
struct RidgeCost {
  double variances = 0;
  double equations = 0;
  double predictions = 0;

  double total() const { return variances + equations + predictions; }
};

/// The options of a fit on which its cost depends.
struct RidgeWork {
  bool knows_variances = false;  ///< from an earlier fit, or reused
  std::size_t most_nodes = 0;    ///< VarianceSource::most_nodes
  double num_policies = 0;       ///< whose implied weights are computed
};

/// The work of a fit with VarianceSource::kept.
inline RidgeWork kept_variances() {
  return {.knows_variances = true, .most_nodes = kLargestKeptArm};
}

/// The only place that knows the cost of the solvers. Mirrors the choice between them
/// (choose_method, choose_sample_size). Recalibrate with ./dev bench forecast when a solver
/// changes.
RidgeCost expect_ridge_cost(const FitSize& size, const NetworkRidgeOptions& options,
                            const RidgeWork& work = {});

/// The expected time of predict_treatment().
double treatment_ridge_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                               bool sees_network);

/// The expected time of the standard deviations of estimate_effects().
double effect_deviation_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                                double draws);

}  // namespace cone

#pragma once

#include <cstddef>

#include "cone/settings.hpp"

#include "network_ridge/network_ridge.hpp"
#include "nuisance/fit_cost.hpp"

namespace cone {

/// What the stages of a network ridge may take, in seconds.
struct RidgeCost {
  double variances = 0;
  double equations = 0;
  double predictions = 0;

  double total() const { return variances + equations + predictions; }
};

/// How the ridge is fitted, as far as its cost depends on it.
struct RidgeWork {
  bool knows_variances = false;  ///< of a model that was fitted before, or kept
  std::size_t most_nodes = 0;    ///< VarianceSource::most_nodes
  double num_policies = 0;       ///< whose weights are asked for
};

/// Of VarianceSource::kept.
inline RidgeWork kept_variances() {
  return {.knows_variances = true, .most_nodes = kLargestKeptArm};
}

/// The one position that knows what a solver costs: it mirrors the choice between them
/// (choose_method, choose_sample_size). Recalibrate with ./dev bench forecast when a solver
/// changes.
RidgeCost expect_ridge_cost(const FitSize& size, const NetworkRidgeOptions& options,
                            const RidgeWork& work = {});

/// predict_treatment().
double treatment_ridge_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                               bool sees_network);

/// The standard deviations of estimate_effects().
double effect_deviation_seconds(const FitSize& size, const NetworkRidgeOptions& options,
                                double draws);

}  // namespace cone

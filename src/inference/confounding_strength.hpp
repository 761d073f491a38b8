#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"

// How far a value may be off because something that moves treatment and outcome was never measured:
// a bound whose strength is what the network itself adds to the features (docs/inference.md). Means
// go over the nodes of all processes that the sample's totals add up.

namespace cone {

/// What the network adds to features in explaining who was treated.
struct NetworkStrength {
  double r_squared_features = 0;  ///< of the treatment, out of fold
  double r_squared_network = 0;   ///< with the network too
  /// (long − short)/(1 − short), and the upper end of its 95 % confidence (one-sided), at least
  /// what n nodes could not show: the strength of a hidden confounder that the bound allows for.
  double added = 0;
  double added_upper = 0;
  bool is_clear = false;    ///< added is beyond chance: more than two standard errors
  Matrix<double> features;  ///< propensities by features alone, sample × arms, within the bounds
  Matrix<double> network;   ///< with the network too
};

/// `features`, `network`: predictions of the treatment, sample × arms.
NetworkStrength measure_strength(const LoggedSample& sample, Matrix<double> features,
                                 Matrix<double> network, const PropensityBounds& bounds);

/// The largest bias of a value that a hidden confounder of that strength can cause, whatever it
/// does to the outcome's residuals: √(C²) · Σ_a √(σ_a²·ν_a²), with C² = cf_d/(1 − cf_d) of the
/// policy.
struct ConfoundingBias {
  double bound = 0;
  double strength = 0;  ///< C²
};
ConfoundingBias bound_confounding_bias(const LoggedSample& sample, MatrixView<const double> policy,
                                       std::span<const double> residual,
                                       const NetworkStrength& strength);

}  // namespace cone

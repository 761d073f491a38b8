#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

// Omitted-variable bias of a policy value (Chernozhukov, Cinelli, Newey, Sharma and Syrgkanis 2022,
// Long story short: omitted variable bias in causal machine learning; Cinelli and Hazlett 2020,
// Making sense of sensitivity: extending omitted variable bias), bounded for an unmeasured
// confounder as strong as the network is beyond the features (docs/inference.md). Means are over
// the nodes of all ranks.

namespace cone {

/// What is known about unmeasured confounding of one arm's outcomes.
struct ArmConfounding {
  /// Share of the residual outcome variance that the confounder explains.
  double outcome_share = 1;
  /// 1 where it makes the arm's mean too high, -1 where too low, 0: either.
  int direction = 0;
};

/// What the network adds to the features in predicting the treatment.
struct NetworkStrength {
  double r_squared_features = 0;  ///< of the treatment, out of fold
  double r_squared_network = 0;   ///< with the network too
  /// Partial R² of the network, (long − short)/(1 − short), and its one-sided 95 % upper confidence
  /// limit, at least what n nodes could not detect: the strength of the unmeasured confounder that
  /// the bound allows for. Over the connected nodes: the network reveals nothing about the others,
  /// which does not make their unmeasured confounders weaker.
  double added = 0;
  double added_upper = 0;
  double p = 1;                ///< one-sided, that the network adds nothing; of independent units
  bool is_clear = false;       ///< significant: `added` is more than two standard errors
  double connected_share = 1;  ///< of the nodes: those with neighbours
  Matrix<double> features;  ///< propensities by features alone, sample × arms, within the bounds
  Matrix<double> network;   ///< with the network too
  std::vector<ArmConfounding> arms = {};  ///< one per arm; empty: nothing is known
};

/// `features`, `network`: predictions of the treatment, sample × arms. `is_connected`: whether
/// nodes have neighbours; empty: all have.
NetworkStrength measure_strength(const LoggedSample& sample, Matrix<double> features,
                                 Matrix<double> network, const PropensityBounds& bounds,
                                 std::span<const std::uint8_t> is_connected = {});

/// What a verdict can rest on: a network is a benchmark where it clearly predicts the treatment and
/// connects at least kLeastConnected of the nodes. The upper confidence limit of a network that
/// does not predict it gets the smaller the more units there are, whatever is unmeasured; and
/// confounders of isolated nodes, which nothing adjusts for, bias a value more than the bound
/// allows for.
inline constexpr double kLeastConnected = 0.75;
VerdictBasis choose_basis(bool is_randomised, const NetworkStrength* strength);

/// The largest bias of a value that an unmeasured confounder of that strength can cause:
/// √(C²) · Σ_a √(cf_y,a·σ_a²·ν_a²), with C² = cf_d/(1 − cf_d) of the policy and cf_y,a the share of
/// the residual outcome variance that it explains, 1 where nothing is known. An arm whose
/// confounding has a known direction contributes to one side only.
struct ConfoundingBias {
  BiasBound bound;
  double strength = 0;  ///< C²
};
ConfoundingBias bound_confounding_bias(const LoggedSample& sample, MatrixView<const double> policy,
                                       std::span<const double> residual,
                                       const NetworkStrength& strength);

}  // namespace cone

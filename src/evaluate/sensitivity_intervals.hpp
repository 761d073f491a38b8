#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "evaluate/learn.hpp"
#include "inference/confounding_strength.hpp"

// Sensitivity intervals of a run.

namespace cone {

/// Whether the run has their inputs: a network, all of which is scored, and the network ridge.
bool wants_sensitivity_intervals(const EvaluateOptions& options, const Learnt& learnt);

/// Sets confounding_bias_bound, sensitivity_widening and sensitivity_interval of an estimate, for
/// an unmeasured confounder as strong as the network. None without an outcome model (`noise`) or a
/// standard error. `policy`: sample × arms, weighed.
void add_sensitivity_interval(const LoggedSample& sample, const Matrix<double>& policy,
                              const ModelNoise* noise, const NetworkStrength& strength,
                              Estimate& e);

/// Sets sensitivity_interval from sensitivity_widening; outcomes with two values bound it.
void set_sensitivity_interval(const LoggedSample& sample, Estimate& e);

/// What the joint model says about confounding beyond it. Its direction is that of the selection on
/// the network's contribution to predicted outcomes, where that is clear: what the features select
/// on says nothing about the unmeasured. The
/// confounder explains as much of the outcome as the network does, where predictions recover at
/// least half of that, over the share that they recover; else up to all of the residual variance.
std::vector<ArmConfounding> describe_confounding(std::span<const JointArm> arms);

/// Whether treatment was declared to be randomised and the data contradict it.
bool contradicts_declaration(const EvaluateOptions& options,
                             const std::optional<NetworkStrength>& strength,
                             bool has_given_clusters);

/// Records the strength of the network, with a warning where it is significant and notable, or
/// where it contradicts a declared randomisation.
void describe_strength(const NetworkStrength& strength, bool contradicts_declaration,
                       Diagnostics& out);

}  // namespace cone

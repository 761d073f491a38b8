#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "evaluate/row_estimates.hpp"
#include "inference/confounding_strength.hpp"

// Sensitivity intervals of a run, in one process or distributed.

namespace cone {

/// Whether the run has their inputs: a network, all of which is scored, and the network ridge.
bool wants_sensitivity_intervals(const EvaluateOptions& options, const EstimationBasis& basis);

/// Sets confounding_bias_bound and sensitivity_interval of every estimate of every policy, for an
/// unmeasured confounder as strong as the network.
void add_sensitivity_intervals(const EstimationBasis& basis,
                               std::span<const Matrix<double>> sample_policies,
                               const NetworkStrength& strength, std::vector<PolicyResult>& results);

/// Where outcomes have two values, no mean lies beyond them.
void clamp_sensitivity_intervals(const LoggedSample& sample, std::vector<PolicyResult>& results);

/// Whether treatment was declared to be randomised and the data contradict it.
bool contradicts_declaration(const EvaluateOptions& options,
                             const std::optional<NetworkStrength>& strength,
                             bool has_given_clusters);

/// Records the strength of the network, with a warning where it is significant and notable, or
/// where it contradicts a declared randomisation.
void describe_strength(const NetworkStrength& strength, bool contradicts_declaration,
                       Diagnostics& out);

}  // namespace cone

#pragma once

#include <span>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "evaluate/row_estimates.hpp"
#include "inference/confounding_strength.hpp"

// Sensitivity intervals of a run, with all nodes in one process or in many.

namespace cone {

/// Whether the run has what they are made of: a network, all of which is scored, and the network
/// ridge.
bool wants_sensitivity_intervals(const EvaluateOptions& options, const EstimationBasis& basis);

/// What a confounder as strong as what the network shows could do to every estimate of every
/// policy: confounding_bias_bound and sensitivity_interval.
void add_sensitivity_intervals(const EstimationBasis& basis,
                               std::span<const Matrix<double>> sample_policies,
                               const NetworkStrength& strength, std::vector<PolicyResult>& results);

/// What the network shows, for the record, with a warning where that is clear and notable.
void describe_strength(const NetworkStrength& strength, Diagnostics& out);

}  // namespace cone

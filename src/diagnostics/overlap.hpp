#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/record.hpp"

namespace cone {

/// A policy on the nodes of a sample: sample × arms, times the survey weights (weigh_rows).
struct SamplePolicy {
  std::string name;
  MatrixView<const double> probability;
};

// All of them are over the nodes of all ranks.

/// One entry per arm. `e`: sample × arms. O(nodes · arms).
std::vector<ArmOverlap> measure_arm_overlap(const LoggedSample& sample, MatrixView<const double> e);

/// One entry per policy.
std::vector<WeightTail> measure_weight_tails(const LoggedSample& sample, MatrixView<const double> e,
                                             std::span<const SamplePolicy> policies);
std::vector<PolicySupport> measure_support(const LoggedSample& sample,
                                           const PropensityTable& propensity,
                                           std::span<const SamplePolicy> policies);

}  // namespace cone

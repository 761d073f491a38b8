#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/learning.hpp"
#include "inference/dependent_errors.hpp"

namespace cone {

/// Policies that are valued together, and what their values rest on.
struct ValuedPolicies {
  std::vector<MatrixView<const double>> tables;  ///< nodes × arms, one per policy
  std::vector<Matrix<double>> sample;            ///< sample × arms, weighed
  std::map<LearnerId, std::vector<ImpliedWeights>> implied;
  std::map<std::string_view, std::vector<ImpliedWeights>> implied_of_row;
};

/// What the estimates of a run rest on.
struct EstimationBasis {
  const Context& context;
  const EstimatorOptions& options;
  std::span<const EstimatorInfo> rows;
  const LoggedSample& sample;
  const LearntNuisances& learnt;
  const std::map<LearnerId, ModelNoise>& noise;
  const DependenceKernels* kernels = nullptr;  ///< nullptr where the sample is no whole network
};

/// Noise of the row's outcome model; nullptr where it has none.
const ModelNoise* noise_of(const EstimationBasis& basis, const EstimatorInfo& row);

/// Weights that a learner's outcome model implies for all policies at once, where a row needs them.
void imply_weights(const EstimationBasis& basis, LearnerId learner, ValuedPolicies& policies);

/// The same for a row that corrects part of the direct method by weighted residuals.
void imply_corrected_weights(const EstimationBasis& basis, const EstimatorInfo& row,
                             ValuedPolicies& policies);

/// The row's estimate of a policy, with the errors of nodes that depend on each other.
Estimate estimate_row(const EstimationBasis& basis, const EstimatorInfo& row,
                      const ValuedPolicies& policies, std::size_t policy);

}  // namespace cone

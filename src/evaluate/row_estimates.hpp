#pragma once

#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "evaluate/learning.hpp"
#include "inference/dependent_errors.hpp"
#include "joint_model/joint_model.hpp"

namespace cone {

/// Policies that are evaluated together, with their implied weights.
struct ValuedPolicies {
  std::vector<MatrixView<const double>> tables;  ///< nodes × arms, one per policy
  std::vector<Matrix<double>> sample;            ///< sample × arms, weighed
  std::map<LearnerId, std::vector<ImpliedWeights>> implied;
  std::map<std::string_view, std::vector<ImpliedWeights>> implied_of_row;
};

/// The inputs of a run's estimates.
struct EstimationBasis {
  const Context& context;
  const EstimatorOptions& options;
  std::span<const EstimatorInfo> rows;
  const LoggedSample& sample;
  const LearntNuisances& learnt;
  const std::map<LearnerId, ModelNoise>& noise;
  const DependenceKernels* kernels = nullptr;  ///< nullptr where part of the network is scored
  const JointModel* joint = nullptr;           ///< of treatment and outcome; nullptr: none
};

/// Noise of the estimator's outcome model; nullptr where it has none.
const ModelNoise* noise_of(const EstimationBasis& basis, const EstimatorInfo& row);

/// Weights that a learner's outcome model implies for all policies, where an estimator needs them.
void imply_weights(const EstimationBasis& basis, LearnerId learner, ValuedPolicies& policies);

/// The same for an estimator that corrects part of the direct method by weighted residuals.
void imply_corrected_weights(const EstimationBasis& basis, const EstimatorInfo& row,
                             ValuedPolicies& policies);

/// The estimate of one policy, with standard errors under dependence.
Estimate estimate_row(const EstimationBasis& basis, const EstimatorInfo& row,
                      const ValuedPolicies& policies, std::size_t policy);

}  // namespace cone

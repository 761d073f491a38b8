#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"

#include "evaluate/plan.hpp"
#include "inference/confounding_strength.hpp"
#include "inference/dependent_errors.hpp"
#include "joint_model/joint_model.hpp"

namespace cone {

/// Weights of the outcomes in the values of policies, one entry per policy.
struct PolicyWeights {
  std::map<LearnerId, std::vector<ImpliedWeights>> of_learner;  ///< implied by outcome models
  /// Of estimators that correct part of the direct method by weighted residuals.
  std::map<std::string_view, std::vector<ImpliedWeights>> of_row;
  std::map<std::string_view, std::vector<BalancedValue>> balanced;  ///< of estimators that balance
};

/// All that is fitted for an evaluation.
struct Learnt {
  LearntNuisances nuisances;
  std::optional<DependenceKernels> kernels;  ///< where all nodes are scored
  std::map<LearnerId, ModelNoise> noise;
  PolicyWeights weights;
  /// None where the network ridge did not run, or assignment is known.
  std::optional<JointModel> joint;
  /// None where sensitivity intervals were not requested, or there is no network.
  std::optional<NetworkStrength> strength;
  std::vector<std::string> warnings;
  /// The estimators of which all that they need has been learnt, in the order of the plan.
  std::vector<EstimatorInfo> ready;
  bool is_complete = true;  ///< false where the observer asked to stop

  bool is_ready(std::string_view estimator) const;
  /// Noise of the estimator's outcome model; nullptr where it has none.
  const ModelNoise* noise_of(const EstimatorInfo& row) const;
};

/// Runs the learners of the plan, from cheap to costly. Where the observer asks to stop, the result
/// has those that were finished; on several ranks, which would stop at different points, Cancelled
/// is thrown. `trained`: receives cone's networks; nullptr where not requested. Collective where
/// the data is distributed.
Learnt learn(const Context& context, const Dataset& data, const EvaluationPlan& plan,
             const EvaluateOptions& options, const FittedModel* model, FittedModel* trained);

}  // namespace cone

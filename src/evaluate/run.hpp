#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "data/arm_costs.hpp"
#include "evaluate/budget_curve.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/row_estimates.hpp"
#include "evaluate/verdicts.hpp"
#include "inference/confounding_strength.hpp"
#include "joint_model/joint_model.hpp"

namespace cone {

/// One evaluation in progress: runs learners, and estimators as soon as their nuisances are learnt.
class EvaluationRun {
 public:
  /// What is passed must outlive it.
  EvaluationRun(const Context& context, const LoadedData& data,
                std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                const FittedModel* model, ConeFit* networks = nullptr);

  /// Whether all is done; false where the observer asked to stop.
  bool learn_and_estimate(EvaluationRecord& record);

  /// Compares the policies with each other and with the logged policy, by the recommended one of
  /// the finished estimators. None where only part of the network is scored.
  std::optional<Decision> compare(std::span<const PolicyResult> results) const;

  /// The value of treating the highest-ranked units at every budget, by the same estimator. Empty
  /// where there is no comparison.
  std::vector<BudgetCurve> trace_budgets() const;
  const std::vector<Ranking>& rankings() const { return rankings_; }

  /// Nuisances, weights and influences of that estimator, node by node.
  NodeTable describe_nodes(std::span<const PolicyResult> results) const;

  /// See association_diagnostics.hpp.
  std::optional<AssociationDiagnostics> associate_residuals(std::string_view estimator) const;

  /// The inputs of the verdicts. `network`: of all nodes of the data, scored or not.
  JudgedRun judged(const Neighbourhood& network) const;

  const LoggedSample& sample() const { return sample_; }
  const FitPlan& plan() const { return plan_; }
  const std::vector<EstimatorInfo>& rows() const { return rows_; }
  const LearntNuisances& learnt() const { return learnt_; }
  /// Those that concern no single learner.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// None where sensitivity intervals were not requested, or there is no network.
  const std::optional<NetworkStrength>& strength() const { return strength_; }
  /// None where the network ridge did not run, or assignment is known.
  const std::optional<JointModel>& joint_model() const { return joint_; }
  /// The estimators that were not finished.
  const std::vector<EstimatorInfo>& waiting() const { return waiting_; }

 private:
  /// Whether treatment counts as assigned at random given what this estimator adjusts for.
  bool is_randomised(const EstimatorInfo& headline) const;
  void take_given();
  std::vector<EstimatorInfo> finished_rows() const;
  /// The recommended one of the estimators that are finished; nullptr where none is.
  const EstimatorInfo* find_headline() const;
  void describe_outcome_noise(LearnerId learner);
  void learn(const LearningStep& step);
  void learn_overlap();
  bool fits_joint_model() const;
  /// Runs the estimators that have become ready and takes them off the list.
  void estimate_ready(std::vector<PolicyResult>& results);
  /// Widens intervals by the bias bound for an unmeasured confounder.
  void add_sensitivity_intervals(std::vector<PolicyResult>& results);
  EstimationBasis basis() const;
  BudgetCurve trace_budget(const EstimatorInfo& row, const Ranking& ranking) const;
  const EstimatorInfo& row_called(std::string_view name) const;

  const Context& context_;
  const Dataset& data_;
  const EvaluateOptions& options_;
  const FittedModel* model_;
  ConeFit* networks_;  ///< receives cone's networks; nullptr where not requested
  std::vector<EstimatorInfo> rows_;
  std::vector<LearningStep> steps_;
  FitPlan plan_;  ///< without tasks where nothing is fitted
  LoggedSample sample_;
  ValuedPolicies policies_;
  LearntNuisances learnt_;
  std::optional<DependenceKernels> kernels_;  ///< where all nodes are scored
  std::map<LearnerId, ModelNoise> noise_;
  std::optional<NetworkStrength> strength_;
  std::optional<JointModel> joint_;
  std::optional<Context> unobserved_;  ///< for estimates after the run was asked to stop
  std::vector<Ranking> rankings_;
  CostTable costs_;                      ///< rows are those of the sample
  std::vector<std::uint8_t> in_sample_;  ///< one per policy (find_learnt_policies)
  std::vector<EstimatorInfo> waiting_;
  std::vector<std::string> warnings_;
};

}  // namespace cone

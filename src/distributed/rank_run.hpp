#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "distributed/local_data.hpp"
#include "evaluate/row_estimates.hpp"
#include "evaluate/verdicts.hpp"
#include "inference/confounding_strength.hpp"

namespace cone::distributed {

/// One evaluation with the nodes distributed over ranks, the counterpart of EvaluationRun.
/// Learners, estimators and standard errors are those of one process, with sums over all ranks.
class RankRun {
 public:
  /// The arguments must outlive it.
  RankRun(const Context& context, const Communicator& comm, const EvaluateOptions& options,
          std::vector<EstimatorInfo> rows, LocalData& local);

  /// `finished` is called at the end of every phase.
  void learn(const std::function<void(const char*)>& finished);
  /// Adds the estimates of every policy, in the order of the rows.
  void estimate(std::vector<PolicyResult>& results);
  /// Adds sensitivity intervals where they were requested (strength() is set then). After the
  /// estimates, as it releases the equations that imply weights.
  void add_sensitivity_intervals(std::vector<PolicyResult>& results);
  std::optional<Decision> compare(std::span<const PolicyResult> results) const;
  /// See association_diagnostics.hpp.
  std::optional<AssociationDiagnostics> associate_residuals(std::string_view estimator) const;
  /// This rank's part of the input of the verdicts.
  JudgedRun judged() const;

  const std::vector<EstimatorInfo>& rows() const { return rows_; }
  const Dataset& data() const { return data_; }
  const LoggedSample& sample() const { return sample_; }
  const LearntNuisances& learnt() const { return learnt_; }
  const std::optional<NetworkStrength>& strength() const { return strength_; }
  /// Warnings that do not belong to one learner.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// A context with sums over all ranks.
  const Context& shared_context() const { return shared_; }

 private:
  bool uses(LearnerId learner) const;
  void make_plan();
  void learn_one(LearnerId learner);
  /// Propensities for the overlap diagnostics only; a warning where they cannot be fitted.
  void learn_overlap();
  void keep(LearnerId learner, Nuisances nuisances);
  EstimationBasis basis() const;

  const Context& context_;
  const Context shared_;
  const Communicator& comm_;
  const EvaluateOptions& options_;
  std::vector<EstimatorInfo> rows_;
  LocalData& local_;
  Dataset data_;  ///< this rank's nodes
  FitPlan plan_;  ///< without tasks where nothing is fitted
  LoggedSample sample_;
  ValuedPolicies policies_;
  DependenceKernels kernels_;
  LearntNuisances learnt_;
  std::map<LearnerId, ModelNoise> noise_;
  std::optional<NetworkStrength> strength_;
  std::vector<std::string> warnings_;
};

}  // namespace cone::distributed

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cone/evaluate.hpp"
#include "cone/record.hpp"

#include "distributed/share.hpp"
#include "evaluate/row_estimates.hpp"
#include "evaluate/verdicts.hpp"
#include "inference/confounding_strength.hpp"

namespace cone::distributed {

class RankNetworkRidge;

/// One evaluation with the nodes spread over ranks: what EvaluationRun is on one machine. Learners,
/// formulas and errors are those of one machine, with sums over all ranks; the network ridge is the
/// ranks' own.
class RankRun {
 public:
  /// What is passed must outlive it. Features of the share are scaled where the network ridge
  /// runs.
  RankRun(const Context& context, const Ranks& ranks, const EvaluateOptions& options,
          std::vector<EstimatorInfo> rows, Share& share);

  /// `finished` hears of every phase.
  void learn(const std::function<void(const char*)>& finished);
  /// Adds the estimates of every policy, in the order of the rows.
  void estimate(std::vector<PolicyResult>& results);
  /// Widens intervals by what a hidden confounder could do, where that was asked for: strength()
  /// says whether. After the estimates, as no weights can be implied any more.
  void add_sensitivity_intervals(std::vector<PolicyResult>& results);
  std::optional<Decision> compare(std::span<const PolicyResult> results) const;
  /// See association_diagnostics.hpp.
  std::optional<AssociationDiagnostics> associate_residuals(std::string_view estimator) const;
  /// What verdicts are about: this rank's part.
  JudgedRun judged() const;

  const std::vector<EstimatorInfo>& rows() const { return rows_; }
  const Dataset& data() const { return data_; }
  const LoggedSample& sample() const { return sample_; }
  const LearntNuisances& learnt() const { return learnt_; }
  const std::optional<NetworkStrength>& strength() const { return strength_; }
  /// About no learner alone.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// With sums over all ranks.
  const Context& shared_context() const { return shared_; }

 private:
  bool uses(LearnerId learner) const;
  void make_plan();
  void learn_one(LearnerId learner);
  /// Propensities that no row needs: where the data does not allow them, a warning takes their
  /// position.
  void learn_overlap();
  void keep(LearnerId learner, Nuisances nuisances);
  EstimationBasis basis() const;

  const Context& context_;
  const Context shared_;
  const Ranks& ranks_;
  const EvaluateOptions& options_;
  std::vector<EstimatorInfo> rows_;
  Share& share_;
  Dataset data_;  ///< this rank's nodes
  FitPlan plan_;  ///< without tasks where nothing is fitted
  LoggedSample sample_;
  ValuedPolicies policies_;
  DependenceKernels kernels_;
  LearntNuisances learnt_;
  std::shared_ptr<RankNetworkRidge> ridge_;  ///< where the network ridge runs
  std::map<LearnerId, ModelNoise> noise_;
  std::optional<NetworkStrength> strength_;
  std::vector<std::string> warnings_;
};

}  // namespace cone::distributed

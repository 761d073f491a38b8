#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"

#include "evaluate/fitted_model.hpp"
#include "nuisance/balancer.hpp"

// Which learners fit which nuisances for which estimators, and the results.

namespace cone {

/// The estimators of a run, each with the learners that it uses here: with `--nuisances given`
/// given columns replace fitted nuisances where the data has them, and without a network
/// propensities on features replace those on the network.
std::vector<EstimatorInfo> choose_rows(const Dataset& data, const EvaluateOptions& options);

/// Throws Error(kData) where given nuisances are requested and their columns are missing.
void require_given_columns(const Dataset& data, std::span<const EstimatorInfo> rows);

/// Throws Error(kUsage) for estimators that need all nodes in one process.
void refuse_on_ranks(const Catalogue& catalogue, std::span<const EstimatorInfo> rows);

/// Whether an estimator of the default list runs on this data.
bool runs_by_default(const Dataset& data, const EstimatorInfo& row);

/// One learner to run, for one or more estimators.
struct LearningStep {
  LearnerId learner = LearnerId::kNone;
  std::string name;  ///< for display: "propensity", "ridge", "cone"
  double expected_seconds = 0;
  /// Propensities that only the overlap diagnostics need. Where the data does not allow a fit, a
  /// warning replaces them.
  bool only_shows_overlap = false;
};

/// Propensities first, which the overlap diagnostics need too; then the others in order of cost.
std::vector<LearningStep> plan_learning(const Context& context, const Dataset& data,
                                        std::span<const EstimatorInfo> rows,
                                        const EvaluateOptions& options, const FittedModel* model,
                                        std::size_t num_policies);

/// The stages of one repeat of an evaluation: the steps, and last the treatment models for
/// sensitivity intervals, where there are any.
std::vector<ExpectedCost> list_stages(const Context& context, const Dataset& data,
                                      std::span<const LearningStep> steps,
                                      const EvaluateOptions& options);

/// Unless the data has propensities.
bool fits_joint_model(const EvaluateOptions& options);

/// The parts of the learner that the estimators use.
LearnerParts parts_used(std::span<const EstimatorInfo> rows, LearnerId learner);

/// Of the options' catalogue; one that was added to it checks what it returns. `rows` determine
/// which of the learner's parts are used. `trained`: receives cone's networks once they are
/// trained; must outlive the learner.
std::unique_ptr<Learner> make_learner(LearnerId learner, std::span<const EstimatorInfo> rows,
                                      const EvaluateOptions& options, const FittedModel* model,
                                      FittedModel* trained = nullptr);

/// The nuisances that have been learnt so far.
class LearntNuisances {
 public:
  void add(LearnerId learner, Nuisances nuisances) { parts_[learner] = std::move(nuisances); }

  const std::map<LearnerId, Nuisances>& parts() const { return parts_; }
  /// Whether all nuisances that the estimator needs have been learnt.
  bool is_ready_for(const EstimatorInfo& row) const;
  /// nullptr where the estimator needs none.
  const OutcomeTable* outcome_of(const EstimatorInfo& row) const;
  /// The estimator's own propensities or, where it needs none, those for its overlap diagnostics:
  /// the given ones, those fitted on the inputs of its outcome model, or any others. nullptr where
  /// there are none.
  const PropensityTable* propensity_of(const EstimatorInfo& row) const;
  const Balancer& balancer_of(const EstimatorInfo& row) const;
  /// Of cone's encoders, one per fold.
  std::span<const FoldTraining> trainings() const;

 private:
  std::map<LearnerId, Nuisances> parts_;
};

}  // namespace cone

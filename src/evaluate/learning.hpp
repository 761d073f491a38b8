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

// Who learns what for which estimators, and what came of it.

namespace cone {

/// The estimators of a run, each with the learners that it uses here: with `--nuisances given` the
/// user's own columns take the place of fitted ones where they are there.
std::vector<EstimatorInfo> choose_rows(const Dataset& data, const EvaluateOptions& options);

/// Throws Error(kData) where columns that were promised are missing.
void require_given_columns(const Dataset& data, std::span<const EstimatorInfo> rows);

/// Why cone's networks are not trained on this data unless the user asks for them; nullptr where
/// they are.
const char* why_without_networks(const Dataset& data);

/// One learner to run, for one or more estimators.
struct LearningStep {
  LearnerId learner = LearnerId::kNone;
  std::string name;  ///< for units: "propensity", "ridge", "cone"
  double expected_seconds = 0;
  /// Propensities that no estimator needs, only the diagnostics. Where the data does not allow a
  /// fit, a warning takes their place.
  bool only_shows_overlap = false;
};

/// Propensities first, which also show whether the log could have done what a policy does; then the
/// others from cheap to dear.
std::vector<LearningStep> plan_learning(const Context& context, const Dataset& data,
                                        std::span<const EstimatorInfo> rows,
                                        const EvaluateOptions& options, const FittedModel* model,
                                        std::size_t num_policies);

/// The stages of one repeat of an evaluation: the steps, and last, where there are any, the fits
/// behind sensitivity intervals.
std::vector<ExpectedCost> list_stages(const Context& context, const Dataset& data,
                                      std::span<const LearningStep> steps,
                                      const EvaluateOptions& options);

/// One row per learner. `rows` say which of its parts are used. `networks`: where cone's are kept
/// as soon as they are trained; must outlive the learner.
std::unique_ptr<Learner> make_learner(LearnerId learner, std::span<const EstimatorInfo> rows,
                                      const EvaluateOptions& options, const FittedModel* model,
                                      ConeFit* networks = nullptr);

/// What has been learnt so far.
class LearntNuisances {
 public:
  void add(LearnerId learner, Nuisances nuisances) { parts_[learner] = std::move(nuisances); }

  const std::map<LearnerId, Nuisances>& parts() const { return parts_; }
  /// Whether everything that the estimator needs is there.
  bool is_ready_for(const EstimatorInfo& row) const;
  /// nullptr where the estimator needs none.
  const OutcomeTable* outcome_of(const EstimatorInfo& row) const;
  /// What tells whether the log could have done what a policy does: the estimator's own
  /// propensities or, where it needs none, the given ones, those fitted on what its model sees, or
  /// any others. nullptr where there are none.
  const PropensityTable* propensity_of(const EstimatorInfo& row) const;
  const Balancer& balancer_of(const EstimatorInfo& row) const;
  /// Of cone's encoders, one per fold.
  std::span<const FoldTraining> trainings() const;

 private:
  std::map<LearnerId, Nuisances> parts_;
};

}  // namespace cone

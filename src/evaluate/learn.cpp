#include "evaluate/learn.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "evaluate/estimate_policies.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "inference/network_treatment.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {
namespace {

/// Of the time for the network ridge and the joint model.
constexpr double kOutcomeShare = 0.5;

/// Runs the steps of one evaluation one after the other.
class Learning {
 public:
  Learning(const Context& context, const Dataset& data, const EvaluationPlan& plan,
           const EvaluateOptions& options, const FittedModel* model, FittedModel* trained)
      : context_(context),
        data_(data),
        plan_(plan),
        options_(options),
        model_(model),
        trained_(trained),
        waiting_(plan.rows) {}

  Learnt run() {
    if (plan_.scores_all) learnt_.kernels.emplace(find_dependence(context_, data_));
    if (options_.nuisances == NuisanceSource::kGiven) take_given();
    if (plan_.steps.empty()) find_weights();
    const StageList stages(context_, list_stages(context_, data_, plan_.steps, options_));
    try {
      for (std::size_t k = 0; learnt_.is_complete && k < plan_.steps.size(); ++k) {
        const StageScope stage = stages.enter(
            k, fmt::format("{} ({} of {} models)", plan_.steps[k].name, k + 1, plan_.steps.size()));
        learn(plan_.steps[k]);
        find_weights();
      }
      if (learnt_.is_complete && wants_sensitivity_intervals(options_, learnt_)) {
        const StageScope stage = stages.enter(plan_.steps.size());
        learnt_.strength = measure_strength();
      }
    } catch (const Cancelled&) {
      if (data_.comm().has_others()) throw;
      learnt_.is_complete = false;
    }
    std::ranges::sort(learnt_.ready, {}, [&](const EstimatorInfo& row) {
      return std::ranges::find(plan_.rows, row.name, &EstimatorInfo::name) - plan_.rows.begin();
    });
    return std::move(learnt_);
  }

 private:
  std::unique_ptr<Learner> make(LearnerId learner, FittedModel* trained = nullptr) const {
    return make_learner(learner, plan_.rows, options_, model_, trained);
  }

  void take_given() {
    Nuisances given = make(LearnerId::kGiven)->fit(context_, data_, plan_.folds);
    // Overlap diagnostics use propensities even where no estimator does; outcome models have no
    // such use.
    if (!is_outcome_model(LearnerId::kGiven)) given.outcome.reset();
    learnt_.nuisances.add(LearnerId::kGiven, std::move(given));
    describe_outcome_noise(LearnerId::kGiven);
  }

  void learn(const LearningStep& step) {
    if (step.only_shows_overlap) return learn_overlap();
    const bool has_joint_model = step.learner == LearnerId::kNetworkRidge && wants_joint_model();
    std::optional<StageScope> stage;
    if (has_joint_model) stage.emplace(context_, "outcome model", 0, kOutcomeShare);
    Nuisances nuisances = make(step.learner, trained_)->fit(context_, data_, plan_.folds);
    // A learner may return nuisances that no estimator needs.
    if (!is_outcome_model(step.learner)) nuisances.outcome.reset();
    if (has_given_propensities()) nuisances.propensity.reset();
    learnt_.nuisances.add(step.learner, std::move(nuisances));
    describe_outcome_noise(step.learner);
    imply_weights(context_, plan_, plan_.policies, learnt_, step.learner, learnt_.weights);
    if (!has_joint_model) return;
    stage.reset();
    stage.emplace(context_, "joint model", kOutcomeShare, 1);
    learn_joint_model();
  }

  void learn_joint_model() {
    try {
      learnt_.joint =
          fit_joint_model(context_, data_, plan_.folds, options_.network_ridge,
                          *learnt_.nuisances.parts().at(LearnerId::kNetworkRidge).outcome);
    } catch (const Cancelled&) {
      if (data_.comm().has_others()) throw;
      // The network ridge is finished, and its estimates are kept.
      learnt_.is_complete = false;
      learnt_.warnings.emplace_back(
          "the joint model of treatment and outcome was not fitted: interrupted; intervals of "
          "network_dm do not allow for what it would show");
    }
  }

  void learn_overlap() {
    try {
      const FitPlan folds = make_plan(context_, data_, options_.plan, context_.seed());
      learnt_.nuisances.add(LearnerId::kLogistic,
                            make(LearnerId::kLogistic)->fit(context_, data_, folds));
    } catch (const Error& error) {
      // Only the diagnostics need these: too little data for a fit must not prevent estimates.
      if (error.code() != ErrorCode::kData) throw;
      learnt_.warnings.push_back("no propensity model could be fitted to assess overlap: " +
                                 error.faults().front().what);
    }
  }

  void describe_outcome_noise(LearnerId learner) {
    const auto& outcome = learnt_.nuisances.parts().at(learner).outcome;
    if (!outcome) return;
    learnt_.noise.emplace(
        learner, describe_noise(context_, relative_degrees(data_, plan_.sample), plan_.sample,
                                outcome->mu.view(), learnt_.kernels ? &*learnt_.kernels : nullptr));
  }

  /// Of the estimators whose nuisances are complete.
  void find_weights() {
    // What was fitted before an interruption is used.
    const Context context = learnt_.is_complete ? context_ : context_.with_observer(nullptr);
    std::erase_if(waiting_, [&](const EstimatorInfo& row) {
      if (!learnt_.nuisances.is_ready_for(row)) return false;
      find_row_weights(context, plan_, plan_.policies, learnt_, options_.estimator, row,
                       learnt_.weights);
      learnt_.ready.push_back(row);
      return true;
    });
  }

  NetworkStrength measure_strength() const {
    const auto fitted = learnt_.nuisances.parts().find(LearnerId::kNetworkTreatment);
    const bool is_known =
        fitted != learnt_.nuisances.parts().end() && shares_treatment_folds(data_);
    NetworkStrength out = measure_network_treatment(
        context_, data_, plan_.sample, options_.plan, options_.network_ridge,
        options_.nuisance.propensity_bound,
        is_known ? &fitted->second.propensity->unbounded : nullptr, known_communities());
    if (learnt_.joint) out.arms = describe_confounding(learnt_.joint->arms);
    return out;
  }

  /// Those that the network ridge searched; null where it did not.
  std::shared_ptr<const NodeCommunities> known_communities() const {
    const auto fitted = learnt_.nuisances.parts().find(LearnerId::kNetworkRidge);
    if (fitted == learnt_.nuisances.parts().end() || !fitted->second.outcome) return nullptr;
    const NetworkRidge* ridge = ridge_of(*fitted->second.outcome);
    return ridge != nullptr ? ridge->communities : nullptr;
  }

  bool is_outcome_model(LearnerId learner) const {
    return std::ranges::any_of(plan_.rows,
                               [&](const EstimatorInfo& row) { return row.outcome == learner; });
  }
  bool has_given_propensities() const {
    return learnt_.nuisances.parts().contains(LearnerId::kGiven) && data_.propensity;
  }
  bool wants_joint_model() const {
    return options_.joint_model && !options_.randomised && !has_given_propensities() &&
           learnt_.kernels;
  }

  const Context& context_;
  const Dataset& data_;
  const EvaluationPlan& plan_;
  const EvaluateOptions& options_;
  const FittedModel* model_;
  FittedModel* trained_;
  std::vector<EstimatorInfo> waiting_;
  Learnt learnt_;
};

}  // namespace

bool Learnt::is_ready(std::string_view estimator) const {
  return std::ranges::find(ready, estimator, &EstimatorInfo::name) != ready.end();
}

const ModelNoise* Learnt::noise_of(const EstimatorInfo& row) const {
  const auto found = noise.find(row.outcome);
  return row.needs_outcome_model() && found != noise.end() ? &found->second : nullptr;
}

Learnt learn(const Context& context, const Dataset& data, const EvaluationPlan& plan,
             const EvaluateOptions& options, const FittedModel* model, FittedModel* trained) {
  return Learning(context, data, plan, options, model, trained).run();
}

}  // namespace cone

#include "evaluate/run.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/settings.hpp"

#include "base/stopwatch.hpp"
#include "data/split.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/row_notes.hpp"

namespace cone {
namespace {

/// Where nothing is fitted, no folds are needed (and tiny data may not allow any).
FitPlan plan_without_fitting(const Dataset& data, const EvaluateOptions& options,
                             std::uint64_t seed) {
  FitPlan plan;
  if (options.plan.protocol == Protocol::kSplit) {
    plan.scored = make_split(data, options.plan.split, seed).test;
  } else {
    plan.scored.resize(data.num_nodes());
    std::iota(plan.scored.begin(), plan.scored.end(), NodeIndex{0});
  }
  return plan;
}

/// A column that the user brought and that nothing reads.
void warn_of_idle_columns(const Dataset& data, const EvaluateOptions& options,
                          std::vector<std::string>& warnings) {
  if (options.nuisances == NuisanceSource::kGiven) return;
  if (!data.propensity && !data.mu) return;
  const std::string propensity = propensity_columns(data.arms);
  const std::string mu = outcome_model_columns(data.arms);
  const std::string columns = !data.mu           ? propensity + " was"
                              : !data.propensity ? mu + " were"
                                                 : propensity + ", " + mu + " were";
  warnings.push_back(fmt::format(
      "the data's own {} not used: --nuisances given takes them instead of fitting", columns));
}

}  // namespace

EvaluationRun::EvaluationRun(const Context& context, const LoadedData& data,
                             std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                             const FittedModel* model)
    : context_(context),
      data_(data.observed),
      policies_(policies),
      options_(options),
      model_(model),
      rows_(choose_rows(data_, options)),
      waiting_(rows_) {
  if (options.nuisances == NuisanceSource::kGiven) require_given_columns(data_, rows_);
  steps_ = plan_learning(context, data_, rows_, options, model);
  const bool fits_models = std::any_of(steps_.begin(), steps_.end(), [](const LearningStep& step) {
    return step.learner != LearnerId::kKernel && !step.only_shows_overlap;
  });
  plan_ = fits_models ? make_plan(context, data_, options.plan, context.seed())
                      : plan_without_fitting(data_, options, context.seed());
  sample_ = take_sample(data_, plan_.scored);
  for (const PolicyOnData& policy : policies) {
    require(policy.probability.rows() == data_.num_nodes() &&
                policy.probability.cols() == data_.num_arms(),
            "evaluate: a policy of other nodes or arms");
    sample_policies_.push_back(take_rows(policy.probability.view(), sample_.nodes));
  }
  warn_of_idle_columns(data_, options, warnings_);
  if (options.nuisances == NuisanceSource::kGiven) take_given();
}

void EvaluationRun::take_given() {
  Nuisances given =
      make_learner(LearnerId::kGiven, rows_, options_, model_)->fit(context_, data_, plan_);
  // Propensities show the overlap even where no estimator needs them; outcome models show nothing.
  const bool needs_model = std::any_of(rows_.begin(), rows_.end(), [](const EstimatorInfo& row) {
    return row.outcome == LearnerId::kGiven;
  });
  if (!needs_model) given.outcome.reset();
  learnt_.add(LearnerId::kGiven, std::move(given));
}

void EvaluationRun::learn(const LearningStep& step) {
  if (step.only_shows_overlap) {
    learn_overlap();
    return;
  }
  const auto learner = make_learner(step.learner, rows_, options_, model_);
  Nuisances nuisances = learner->fit(context_, data_, plan_);
  // A learner may find out more than anyone asked for.
  const bool needs_outcome = std::any_of(rows_.begin(), rows_.end(), [&](const EstimatorInfo& row) {
    return row.outcome == step.learner;
  });
  const bool has_given =
      learnt_.parts().contains(LearnerId::kGiven) && data_.propensity.has_value();
  if (!needs_outcome) nuisances.outcome.reset();
  if (has_given) nuisances.propensity.reset();
  learnt_.add(step.learner, std::move(nuisances));
  imply_weights(step.learner);
}

void EvaluationRun::learn_overlap() {
  try {
    const FitPlan plan = make_plan(context_, data_, options_.plan, context_.seed());
    learnt_.add(
        LearnerId::kLogistic,
        make_learner(LearnerId::kLogistic, rows_, options_, nullptr)->fit(context_, data_, plan));
  } catch (const Error& error) {
    // Only the diagnostics want these: too little data for a fit must not stop what can be
    // estimated.
    if (error.code() != ErrorCode::kData) throw;
    warnings_.push_back(
        "no propensities could be fitted to see whether the log supports the "
        "policies: " +
        error.faults().front().what);
  }
}

void EvaluationRun::imply_weights(LearnerId learner) {
  const bool needed = std::any_of(rows_.begin(), rows_.end(), [&](const EstimatorInfo& row) {
    return row.outcome == learner &&
           (row.method == Method::kDirect || row.method == Method::kCautiousCorrection);
  });
  const auto& outcome = learnt_.parts().at(learner).outcome;
  if (!needed || !outcome || outcome->variance == nullptr) return;
  std::vector<MatrixView<const double>> views;
  for (const PolicyOnData& policy : policies_) views.push_back(policy.probability.view());
  implied_[learner] = outcome->variance->imply_weights(context_, views);
}

Estimate EvaluationRun::estimate_row(const EstimatorInfo& row, std::size_t policy) const {
  Evidence evidence{.sample = sample_,
                    .policy = sample_policies_[policy].view(),
                    .outcome = learnt_.outcome_of(row),
                    .propensity = learnt_.propensity_of(row)};
  if (row.needs_balance()) {
    return estimate_balanced(row, evidence,
                             learnt_.balancer_of(row).value(context_, evidence.policy),
                             options_.estimator);
  }
  const auto implied = implied_.find(row.outcome);
  if (implied != implied_.end()) evidence.implied = &implied->second[policy];
  Estimate value = estimate(row, evidence, options_.estimator);
  note_learning(row, evidence, learnt_, value);
  return value;
}

void EvaluationRun::estimate_ready(std::vector<PolicyResult>& results) {
  const auto is_ready = [&](const EstimatorInfo& row) { return learnt_.is_ready_for(row); };
  std::vector<EstimatorInfo> ready;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(ready), is_ready);
  if (ready.empty()) return;
  std::vector<PolicyResult> extended = results;  // kept as they are if this is cancelled
  for (std::size_t p = 0; p < policies_.size(); ++p) {
    for (const EstimatorInfo& row : ready) {
      context_.poll();
      extended[p].estimates.push_back(estimate_row(row, p));
    }
  }
  results = std::move(extended);
  std::erase_if(waiting_, is_ready);
}

bool EvaluationRun::learn_and_estimate(EvaluationRecord& record) {
  const auto estimate_and_time = [&] {
    const Stopwatch watch;
    estimate_ready(record.policies);
    record.timing_seconds["estimates"] += watch.seconds();
  };
  double whole = 0;
  for (const LearningStep& step : steps_) whole += step.expected_seconds;
  try {
    if (steps_.empty()) estimate_and_time();
    double before = 0;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const double after = before + steps_[k].expected_seconds;
      const StageScope stage(
          context_, fmt::format("{} ({} of {} models)", steps_[k].name, k + 1, steps_.size()),
          before / whole, after / whole);
      const Stopwatch watch;
      learn(steps_[k]);
      record.timing_seconds["nuisances"] += watch.seconds();
      estimate_and_time();
      before = after;
    }
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

}  // namespace cone

#include "evaluate/run.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/settings.hpp"

#include "base/numeric.hpp"
#include "base/stopwatch.hpp"
#include "data/arm_costs.hpp"
#include "data/split.hpp"
#include "evaluate/association_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/row_notes.hpp"
#include "evaluate/sensitivity_intervals.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {
namespace {

/// Of the time for the network ridge and the joint model.
constexpr double kOutcomeShare = 0.5;

/// Where nothing is fitted, no folds are needed (and small data may not allow any).
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

/// Cluster-robust errors need all members of a cluster.
void refuse_clusters_of_part(const Dataset& data, const LoggedSample& sample) {
  if (data.cluster.empty() || sample.size() == data.num_nodes()) return;
  throw Error(ErrorCode::kUsage,
              {{.item = "--cluster"},
               "cannot be used with --protocol split, which evaluates only part of the nodes",
               "leave one of them out"});
}

/// Given nuisance columns that are not used.
void warn_of_idle_columns(const Dataset& data, const EvaluateOptions& options,
                          std::vector<std::string>& warnings) {
  if (options.nuisances == NuisanceSource::kGiven) return;
  if (!data.propensity && !data.mu) return;
  warnings.push_back(
      describe_idle_columns(data.arms, data.propensity.has_value(), data.mu.has_value()));
}

/// Of a split, the weights of the outcomes that smoothing biases are found by are not known.
void warn_of_split(std::span<const EstimatorInfo> rows, const EvaluateOptions& options,
                   std::vector<std::string>& warnings) {
  const bool smooths = std::ranges::any_of(rows, [](const EstimatorInfo& row) {
    return row.outcome == LearnerId::kRidge || row.outcome == LearnerId::kNetworkRidge;
  });
  if (options.plan.protocol != Protocol::kSplit || !smooths) return;
  warnings.emplace_back(
      "--protocol split: intervals are for sampling error alone, without the smoothing bias");
}

}  // namespace

EvaluationRun::EvaluationRun(const Context& context, const LoadedData& data,
                             std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                             const FittedModel* model, ConeFit* networks)
    : context_(context),
      data_(data.observed),
      options_(options),
      model_(model),
      networks_(networks),
      rows_(choose_rows(data_, options)),
      rankings_(find_rankings(data_, policies, options.budget)),
      costs_(read_costs(data_, options.cost)),
      in_sample_(find_learnt_policies(data_, policies)),
      waiting_(rows_) {
  if (options.nuisances == NuisanceSource::kGiven) require_given_columns(data_, rows_);
  steps_ = plan_learning(context, data_, rows_, options, model, policies.size());
  const bool fits_models = std::any_of(steps_.begin(), steps_.end(), [](const LearningStep& step) {
    return step.learner != LearnerId::kKernel && !step.only_shows_overlap;
  });
  plan_ = fits_models ? make_plan(context, data_, options.plan, context.seed())
                      : plan_without_fitting(data_, options, context.seed());
  sample_ = take_sample(data_, plan_.scored);
  if (costs_.is_given()) costs_.per_node = take_rows(costs_.per_node.view(), sample_.nodes);
  refuse_clusters_of_part(data_, sample_);
  for (const PolicyOnData& policy : policies) {
    require(policy.probability.rows() == data_.num_nodes() &&
                policy.probability.cols() == data_.num_arms(),
            "evaluate: the policy has other nodes or arms than the data");
    policies_.tables.push_back(policy.probability.view());
    policies_.sample.push_back(take_rows(policy.probability.view(), sample_.nodes));
    weigh_rows(sample_, policies_.sample.back());
  }
  if (sample_.size() == data_.num_nodes()) {
    kernels_.emplace(context, data_.graph, cluster_nodes(context, data_));
  }
  warn_of_idle_columns(data_, options, warnings_);
  warn_of_split(rows_, options, warnings_);
  if (options.nuisances == NuisanceSource::kGiven) take_given();
}

void EvaluationRun::take_given() {
  Nuisances given =
      make_learner(LearnerId::kGiven, rows_, options_, model_)->fit(context_, data_, plan_);
  // Overlap diagnostics use propensities even where no estimator does; outcome models have no such
  // use.
  const bool needs_model = std::any_of(rows_.begin(), rows_.end(), [](const EstimatorInfo& row) {
    return row.outcome == LearnerId::kGiven;
  });
  if (!needs_model) given.outcome.reset();
  learnt_.add(LearnerId::kGiven, std::move(given));
  describe_outcome_noise(LearnerId::kGiven);
}

void EvaluationRun::learn(const LearningStep& step) {
  if (step.only_shows_overlap) {
    learn_overlap();
    return;
  }
  const bool has_joint_model = step.learner == LearnerId::kNetworkRidge && fits_joint_model();
  std::optional<StageScope> stage;
  if (has_joint_model) stage.emplace(context_, "outcome model", 0, kOutcomeShare);
  const auto learner = make_learner(step.learner, rows_, options_, model_, networks_);
  Nuisances nuisances = learner->fit(context_, data_, plan_);
  // A learner may return nuisances that no estimator needs.
  const bool needs_outcome = std::any_of(rows_.begin(), rows_.end(), [&](const EstimatorInfo& row) {
    return row.outcome == step.learner;
  });
  const bool has_given =
      learnt_.parts().contains(LearnerId::kGiven) && data_.propensity.has_value();
  if (!needs_outcome) nuisances.outcome.reset();
  if (has_given) nuisances.propensity.reset();
  learnt_.add(step.learner, std::move(nuisances));
  describe_outcome_noise(step.learner);
  imply_weights(basis(), step.learner, policies_);
  if (!has_joint_model) return;
  stage.reset();
  stage.emplace(context_, "joint model", kOutcomeShare, 1);
  try {
    joint_ = cone::fit_joint_model(context_, data_, plan_, options_.network_ridge,
                                   *learnt_.parts().at(LearnerId::kNetworkRidge).outcome);
  } catch (const Cancelled&) {
    // The network ridge is finished, and its estimates are kept.
    unobserved_ = context_.with_observer(nullptr);
    warnings_.emplace_back(
        "the joint model of treatment and outcome was not fitted: interrupted; intervals of "
        "network_dm do not allow for what it would show");
  }
}

bool EvaluationRun::fits_joint_model() const {
  const bool has_propensities = learnt_.parts().contains(LearnerId::kGiven) && data_.propensity;
  return options_.joint_model && !options_.randomised && !has_propensities && kernels_;
}

void EvaluationRun::learn_overlap() {
  try {
    const FitPlan plan = make_plan(context_, data_, options_.plan, context_.seed());
    learnt_.add(
        LearnerId::kLogistic,
        make_learner(LearnerId::kLogistic, rows_, options_, nullptr)->fit(context_, data_, plan));
  } catch (const Error& error) {
    // Only the diagnostics need these: too little data for a fit must not prevent estimates.
    if (error.code() != ErrorCode::kData) throw;
    warnings_.push_back("no propensity model could be fitted to assess overlap: " +
                        error.faults().front().what);
  }
}

void EvaluationRun::describe_outcome_noise(LearnerId learner) {
  const auto& outcome = learnt_.parts().at(learner).outcome;
  if (!outcome) return;
  noise_.emplace(learner, describe_noise(context_, relative_degrees(data_.graph, sample_), sample_,
                                         outcome->mu.view(), kernels_ ? &*kernels_ : nullptr));
}

EstimationBasis EvaluationRun::basis() const {
  return {.context = unobserved_ ? *unobserved_ : context_,
          .options = options_.estimator,
          .rows = rows_,
          .sample = sample_,
          .learnt = learnt_,
          .noise = noise_,
          .kernels = kernels_ ? &*kernels_ : nullptr,
          .joint = joint_ ? &*joint_ : nullptr};
}

const EstimatorInfo& EvaluationRun::row_called(std::string_view name) const {
  return *std::ranges::find(rows_, name, &EstimatorInfo::name);
}

void EvaluationRun::estimate_ready(std::vector<PolicyResult>& results) {
  const auto is_ready = [&](const EstimatorInfo& row) { return learnt_.is_ready_for(row); };
  std::vector<EstimatorInfo> ready;
  std::copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(ready), is_ready);
  if (ready.empty()) return;
  for (const EstimatorInfo& row : ready) imply_corrected_weights(basis(), row, policies_);
  std::vector<PolicyResult> extended = results;  // unchanged if this is cancelled
  for (std::size_t p = 0; p < policies_.sample.size(); ++p) {
    for (const EstimatorInfo& row : ready) {
      basis().context.poll();
      extended[p].estimates.push_back(estimate_row(basis(), row, policies_, p));
    }
  }
  results = std::move(extended);
  std::erase_if(waiting_, is_ready);
}

std::vector<EstimatorInfo> EvaluationRun::finished_rows() const {
  std::vector<EstimatorInfo> finished;
  for (const EstimatorInfo& row : rows_) {
    const auto is_row = [&](const EstimatorInfo& other) { return other.name == row.name; };
    if (std::none_of(waiting_.begin(), waiting_.end(), is_row)) finished.push_back(row);
  }
  return finished;
}

const EstimatorInfo* EvaluationRun::find_headline() const {
  const std::vector<EstimatorInfo> finished = finished_rows();
  const EstimatorInfo* headline = choose_headline(finished);
  return headline == nullptr ? nullptr : &row_called(headline->name);
}

bool EvaluationRun::is_randomised(const EstimatorInfo& headline) const {
  if (headline.weights == LearnerId::kGiven) return true;  // known propensities
  return options_.randomised && headline.method != Method::kArmMeans &&
         !contradicts_declaration(options_, strength_, !data_.cluster.empty());
}

std::optional<Decision> EvaluationRun::compare(std::span<const PolicyResult> results) const {
  const EstimatorInfo* headline = find_headline();
  if (!kernels_ || headline == nullptr) return std::nullopt;
  return decide(context_,
                {.sample = sample_,
                 .kernels = *kernels_,
                 .noise = noise_of(basis(), *headline),
                 .sample_policies = policies_.sample,
                 .costs = costs_,
                 .strength = strength_ ? &*strength_ : nullptr,
                 .is_randomised = is_randomised(*headline),
                 .is_sensitivity_off = !options_.sensitivity_interval,
                 .lower_is_better = options_.direction.prefers_lower(),
                 .arm_noise = options_.estimator.arm_noise,
                 .plan = plan_,
                 .cluster = data_.cluster,
                 .in_sample = in_sample_},
                headline->name, results, options_.estimator.dependence, options_.list_pairs_up_to);
}

std::optional<AssociationDiagnostics> EvaluationRun::associate_residuals(
    std::string_view estimator) const {
  return cone::associate_residuals(basis(), row_called(estimator));
}

JudgedRun EvaluationRun::judged(const Neighbourhood& network) const {
  return {.sample = sample_,
          .features = data_.features,
          .network = network,
          .finished = finished_rows(),
          .learnt = learnt_,
          .plan = plan_,
          .policies = policies_.sample,
          .cluster = data_.cluster};
}

bool EvaluationRun::learn_and_estimate(EvaluationRecord& record) {
  const auto estimate_and_time = [&] {
    const Stopwatch watch;
    estimate_ready(record.policies);
    record.timing_seconds["estimates"] += watch.seconds();
  };
  const StageList stages(context_, list_stages(context_, data_, steps_, options_));
  try {
    if (steps_.empty()) estimate_and_time();
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const StageScope stage = stages.enter(
          k, fmt::format("{} ({} of {} models)", steps_[k].name, k + 1, steps_.size()));
      const Stopwatch watch;
      learn(steps_[k]);
      record.timing_seconds["nuisances"] += watch.seconds();
      estimate_and_time();
      if (unobserved_) return false;
    }
    if (stages.size() > steps_.size()) {
      const StageScope stage = stages.enter(steps_.size());
      add_sensitivity_intervals(record.policies);
    }
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

}  // namespace cone

#include "evaluate/evaluate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "base/stopwatch.hpp"
#include "base/version.hpp"
#include "evaluate/diagnostics.hpp"
#include "evaluate/nuisance_set.hpp"
#include "evaluate/scaling_diagnostics.hpp"
#include "evaluate/workload.hpp"
#include "options/option_json.hpp"

namespace cone {
namespace {

template <class T>
std::vector<T> gather(std::span<const T> values, std::span<const NodeIndex> nodes) {
  std::vector<T> out(nodes.size());
  std::transform(nodes.begin(), nodes.end(), out.begin(), [&](NodeIndex i) { return values[i]; });
  return out;
}

std::vector<double> gather(const std::vector<double>& values, std::span<const NodeIndex> nodes) {
  return gather(std::span<const double>(values), nodes);
}

void require_log(const Dataset& data) {
  if (data.has_log()) return;
  throw Error(ErrorCode::kData, {{},
                                 "the data is a bare network: it has no treatments and outcomes",
                                 "evaluate needs a log; cone simulate makes one from a network"});
}

/// Beyond this many entries, directed edges and nodes' worth of entries, five folds of networks
/// take more than minutes: they run where the user asks for them.
constexpr std::uint64_t kLargestDefaultCone = 5'000'000;

bool is_large(const Dataset& data) { return cone_epoch_entries(data) > kLargestDefaultCone; }

std::vector<const EstimatorInfo*> chosen_estimators(const Dataset& data,
                                                    const EvaluateOptions& options) {
  std::vector<const EstimatorInfo*> chosen;
  for (const std::string& name : options.estimators) chosen.push_back(find_estimator(name));
  if (chosen.empty()) {
    const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu.has_value();
    for (const std::string_view name : default_estimators(own_model)) {
      const EstimatorInfo* estimator = find_estimator(name);
      if (!estimator->needs_cone() || !is_large(data)) chosen.push_back(estimator);
    }
  }
  return chosen;
}

Matrix<double> policy_matrix(std::span<const PolicyOnData> policies, std::size_t num_nodes) {
  Matrix<double> matrix(policies.size(), num_nodes);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const std::vector<double> treated = arm_column(policies[p].probability.view(), 1);
    require(treated.size() == num_nodes, "evaluate: policy of wrong length");
    std::copy(treated.begin(), treated.end(), matrix.row(p).begin());
  }
  return matrix;
}

struct ScoredPropensity {
  std::vector<double> probability, unbounded;
};

struct ScoredModel {
  std::vector<double> mu0, mu1;
  std::vector<double> other_mu0, other_mu1;  // OutcomeView says what these are
};

ScoredModel scored_model(const OutcomePredictions& model, std::span<const NodeIndex> scored) {
  ScoredModel out{.mu0 = gather(model.mu0, scored), .mu1 = gather(model.mu1, scored)};
  if (model.implausible.empty()) return out;
  std::vector<double> mu0 = model.mu0;
  std::vector<double> mu1 = model.mu1;
  for (const ImplausiblePrediction& p : model.implausible) {
    (p.arm == 1 ? mu1 : mu0)[p.node] = model.bounded ? p.predicted : p.limit;
  }
  out.other_mu0 = gather(mu0, scored);
  out.other_mu1 = gather(mu1, scored);
  return out;
}

/// The evaluated nodes' part of everything that does not depend on the policy.
struct ScoredLog {
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome;
  std::map<const PropensityNuisance*, ScoredPropensity> propensity;
  std::map<const OutcomePredictions*, ScoredModel> mu;

  ScoredLog(const Dataset& data, const NuisanceSet& nuisances)
      : treatment(gather(std::span<const std::uint8_t>(data.treatment), nuisances.scored)),
        outcome(gather(data.outcome, nuisances.scored)) {
    for (const auto& [name, nuisance] : nuisances.propensities) {
      ScoredPropensity& scored = propensity[&nuisance];
      scored.probability = gather(nuisance.probability, nuisances.scored);
      if (!nuisance.unbounded.empty()) {
        scored.unbounded = gather(nuisance.unbounded, nuisances.scored);
      }
    }
    for (const auto& [name, model] : nuisances.outcome_models) {
      mu[&model] = scored_model(model, nuisances.scored);
    }
  }
};

OutcomeView outcome_view(const OutcomePredictions& model, const ScoredLog& log,
                         std::size_t policy) {
  const ScoredModel& scored = log.mu.at(&model);
  OutcomeView view{.mu0 = scored.mu0,
                   .mu1 = scored.mu1,
                   .other_mu0 = scored.other_mu0,
                   .other_mu1 = scored.other_mu1,
                   .bounded = model.bounded};
  if (model.implied_weights.rows() > 0) view.implied_weights = model.implied_weights.row(policy);
  if (!model.model_variance.empty()) view.model_variance = model.model_variance[policy];
  return view;
}

/// A row named after a fitted model must not pass for one.
void note_given_nuisances(const EstimatorInfo& estimator, const NuisanceSet& nuisances,
                          Estimate& value) {
  const bool named_after_model =
      estimator.method == Method::kDirect || estimator.method == Method::kDoublyRobust;
  if (nuisances.given_outcome_model && named_after_model && estimator.outcome_model != "given") {
    value.warnings.emplace_back("the outcome model is the given mu0 and mu1: none was fitted");
  }
  if (nuisances.given_propensity && estimator.propensity_model == "cone") {
    value.warnings.emplace_back("the propensities are the given ones: none were fitted");
  }
  if (value.status == EstimateStatus::kOk && !value.warnings.empty()) {
    value.status = EstimateStatus::kCaution;
  }
}

void add_caution(std::string why, Estimate& value) {
  value.warnings.push_back(std::move(why));
  if (value.status == EstimateStatus::kOk) value.status = EstimateStatus::kCaution;
}

/// Weights of a training that diverged are the best it had seen, which may be the first.
void note_diverged_folds(std::span<const FoldTraining> trainings, Estimate& value) {
  const auto count = std::count_if(trainings.begin(), trainings.end(), [](const FoldTraining& t) {
    return t.status == TrainingStatus::kDiverged;
  });
  if (count == 0) return;
  add_caution(fmt::format("the training of {} of {} folds diverged: try a smaller --learning-rate",
                          count, trainings.size()),
              value);
}

/// A policy's result without estimates.
PolicyResult describe_policy(const PolicyOnData& policy, const LoadedData& data,
                             std::span<const NodeIndex> scored) {
  const std::vector<double> treated = arm_column(policy.probability.view(), 1);
  PolicyResult result{.name = policy.name,
                      .checksum = Checksum().add(std::span<const double>(treated)).hex(),
                      .treated_fraction = mean(gather(treated, scored))};
  if (data.truth) result.truth = data.truth->utility(policy.probability.view(), scored);
  return result;
}

void add_estimates(const Context& context, const PolicyOnData& policy, std::size_t number,
                   const ScoredLog& log, const NuisanceSet& nuisances,
                   std::span<const EstimatorInfo* const> estimators,
                   const EstimatorOptions& options, PolicyResult& result) {
  const std::vector<double> treated = arm_column(policy.probability.view(), 1);
  const std::vector<double> probability = gather(treated, nuisances.scored);
  for (const EstimatorInfo* estimator : estimators) {
    context.poll();
    EstimationInput input{
        .treatment = log.treatment, .outcome = log.outcome, .policy = probability};
    if (const PropensityNuisance* nuisance = nuisances.overlap_of(*estimator)) {
      const ScoredPropensity& scored = log.propensity.at(nuisance);
      input.propensity = {scored.probability, scored.unbounded, nuisance->bound};
    }
    if (estimator->method == Method::kKernelBalancing) {
      const BalancedLog& balance = nuisances.balances.find(estimator->kernel)->second;
      result.estimates.push_back(
          estimate_balanced(*estimator, input, balance.value(context, treated), options));
      continue;
    }
    if (estimator->needs_outcome_model()) {
      input.outcome_model = outcome_view(nuisances.outcome_model_of(*estimator), log, number);
      input.outcome_model.given = nuisances.given_outcome_model;
    }
    Estimate value = estimate(*estimator, input, options);
    if (estimator->needs_cone()) {
      note_diverged_folds(nuisances.trainings, value);
    } else if (estimator->needs_outcome_model() &&
               !nuisances.outcome_model_of(*estimator).warnings.empty()) {
      add_caution("the fit of the outcome model has warnings of its own, below", value);
    }
    note_given_nuisances(*estimator, nuisances, value);
    result.estimates.push_back(std::move(value));
  }
}

nlohmann::ordered_json config_json(const Context& context, const EvaluateOptions& options,
                                   std::span<const PolicyOnData> policies,
                                   std::span<const EstimatorInfo* const> estimators) {
  nlohmann::ordered_json config = option_json(options);
  config["estimators"] = nlohmann::ordered_json::array();
  for (const EstimatorInfo* estimator : estimators) {
    config["estimators"].push_back(std::string(estimator->name));
  }
  config["policies"] = nlohmann::ordered_json::array();
  for (const PolicyOnData& policy : policies) config["policies"].push_back(policy.name);
  config["seed"] = context.seed();
  return config;
}

/// Runs the estimators that have become ready and takes them off the list.
void run_ready_estimators(const Context& context, const Dataset& data,
                          std::span<const PolicyOnData> policies, const NuisanceSet& nuisances,
                          const EstimatorOptions& options,
                          std::vector<const EstimatorInfo*>& waiting,
                          std::vector<PolicyResult>& results) {
  const auto is_ready = [&](const EstimatorInfo* e) { return nuisances.is_ready_for(*e); };
  std::vector<const EstimatorInfo*> ready;
  std::copy_if(waiting.begin(), waiting.end(), std::back_inserter(ready), is_ready);
  if (ready.empty()) return;
  const ScoredLog log(data, nuisances);
  std::vector<PolicyResult> extended = results;  // kept as they are if this is cancelled
  for (std::size_t p = 0; p < policies.size(); ++p) {
    add_estimates(context, policies[p], p, log, nuisances, ready, options, extended[p]);
  }
  results = std::move(extended);
  std::erase_if(waiting, is_ready);
}

/// Estimates in the order in which the estimators were asked for.
void sort_estimates(std::span<const EstimatorInfo* const> estimators,
                    std::vector<PolicyResult>& results) {
  const auto place = [&](const Estimate& estimate) {
    return std::find_if(estimators.begin(), estimators.end(),
                        [&](const EstimatorInfo* e) { return e->name == estimate.estimator; }) -
           estimators.begin();
  };
  for (PolicyResult& result : results) {
    std::stable_sort(result.estimates.begin(), result.estimates.end(),
                     [&](const Estimate& a, const Estimate& b) { return place(a) < place(b); });
  }
}

/// Fits and estimates until all is done or the observer asks to stop; whether all was done.
bool fit_and_estimate(const Context& context, const LoadedData& data,
                      std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                      std::span<const NuisanceStep> steps, NuisanceFitter& fitter,
                      std::vector<const EstimatorInfo*>& waiting, EvaluationRecord& record) {
  const auto estimate_ready = [&] {
    const Stopwatch watch;
    run_ready_estimators(context, data.observed, policies, fitter.set(), options.estimator, waiting,
                         record.policies);
    record.timing_seconds["estimates"] += watch.seconds();
  };
  double whole = 0;
  for (const NuisanceStep& step : steps) whole += step.expected_seconds;
  try {
    if (steps.empty()) estimate_ready();
    double before = 0;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const double after = before + steps[k].expected_seconds;
      const StageScope stage(
          context, fmt::format("{} ({} of {} models)", steps[k].name, k + 1, steps.size()),
          before / whole, after / whole);
      const Stopwatch watch;
      fitter.fit(steps[k]);
      record.timing_seconds["nuisances"] += watch.seconds();
      estimate_ready();
      before = after;
    }
  } catch (const Cancelled&) {
    return false;
  }
  return true;
}

void warn_of_left_out(const Dataset& data, const EvaluateOptions& options, Diagnostics& out) {
  const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu.has_value();
  if (!options.estimators.empty() || own_model || !is_large(data)) return;
  std::vector<std::string_view> left_out;
  for (const std::string_view name : default_estimators(own_model)) {
    if (find_estimator(name)->needs_cone()) left_out.push_back(name);
  }
  out.warnings.push_back(fmt::format(
      "{} were left out, as training on data of this size takes long: --estimators {} runs "
      "them",
      fmt::join(left_out, " and "), fmt::join(left_out, ",")));
}

Evaluation run(const Context& context, const LoadedData& data,
               std::span<const PolicyOnData> policies, const EvaluateOptions& options,
               const ConeFit* fitted_cone) {
  validate(options);
  require_log(data.observed);
  require(!policies.empty(), "evaluate: no policy");
  const auto estimators = chosen_estimators(data.observed, options);

  Evaluation evaluation;
  EvaluationRecord& record = evaluation.record;
  record.version = kVersion;
  record.revision = source_revision();
  record.commit = build_commit();
  record.config = config_json(context, options, policies, estimators);
  record.data = summarise(data.observed);
  record.timing_seconds = {{"nuisances", 0.0}, {"estimates", 0.0}};

  const Matrix<double> probabilities = policy_matrix(policies, data.observed.num_nodes());
  const auto steps = plan_nuisances(context, data.observed, estimators, options, fitted_cone);
  NuisanceFitter fitter(context, data.observed, probabilities.view(), options, fitted_cone,
                        estimators, steps);
  for (const PolicyOnData& policy : policies) {
    record.policies.push_back(describe_policy(policy, data, fitter.set().scored));
  }
  std::vector<const EstimatorInfo*> waiting = estimators;
  if (!fit_and_estimate(context, data, policies, options, steps, fitter, waiting, record)) {
    evaluation.status = RunStatus::kCancelled;
    record.status = "interrupted";
    for (const EstimatorInfo* estimator : waiting) {
      record.unfinished.emplace_back(estimator->name);
    }
  }
  sort_estimates(estimators, record.policies);
  record.diagnostics = diagnose(data, fitter.set());
  record.diagnostics.feature_scaling =
      describe_scaling(data.observed.features, estimators, options.nuisance);
  std::vector<std::string>& warnings = record.diagnostics.warnings;
  warnings.insert(warnings.begin(), data.doubts.begin(), data.doubts.end());
  for (std::string& warning : warn_of_rounding_columns(data.observed.features)) {
    warnings.push_back(std::move(warning));
  }
  warn_of_left_out(data.observed, options, record.diagnostics);
  return evaluation;
}

}  // namespace

bool uses_cone(const Dataset& data, const EvaluateOptions& options) {
  const bool given = options.nuisances == NuisanceSource::kGiven;
  const auto chosen = chosen_estimators(data, options);
  return std::any_of(chosen.begin(), chosen.end(), [&](const EstimatorInfo* estimator) {
    return estimator->kernel == "cone" ||
           (estimator->outcome_model == "cone" && !(given && data.mu)) ||
           (estimator->propensity_model == "cone" && !(given && data.propensity));
  });
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const EvaluateOptions& options,
                                         const ConeFit* fitted_cone) {
  validate(options);
  require_log(data);
  std::vector<ExpectedCost> costs;
  for (const NuisanceStep& step :
       plan_nuisances(context, data, chosen_estimators(data, options), options, fitted_cone)) {
    costs.push_back({step.name, step.expected_seconds});
  }
  return costs;
}

Evaluation evaluate(const Context& context, const LoadedData& data,
                    std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                    const ConeFit* fitted_cone) {
  try {
    return run(context, data, policies, options, fitted_cone);
  } catch (const Cancelled&) {
    return {RunStatus::kCancelled, {}};
  }
}

}  // namespace cone

#include "cone/experiment/evaluate.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/hash.hpp"
#include "cone/base/numeric.hpp"
#include "cone/base/stopwatch.hpp"
#include "cone/base/version.hpp"
#include "cone/results/option_json.hpp"

#include "experiment/diagnostics.hpp"
#include "experiment/nuisance_set.hpp"
#include "experiment/scaling_diagnostics.hpp"
#include "experiment/workload.hpp"

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
    const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu0.has_value();
    for (const std::string_view name : default_estimators(own_model)) {
      const EstimatorInfo* estimator = find_estimator(name);
      if (!estimator->needs_cone() || !is_large(data)) chosen.push_back(estimator);
    }
  }
  return chosen;
}

Matrix<double> policy_matrix(std::span<const EvaluatedPolicy> policies, std::size_t num_nodes) {
  Matrix<double> matrix(policies.size(), num_nodes);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    require(policies[p].treat_probability.size() == num_nodes, "evaluate: policy of wrong length");
    std::copy(policies[p].treat_probability.begin(), policies[p].treat_probability.end(),
              matrix.row(p).begin());
  }
  return matrix;
}

/// The evaluated nodes' part of everything that does not depend on the policy.
struct ScoredLog {
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome;
  std::map<const PropensityNuisance*, std::vector<double>> propensity;
  std::map<const OutcomePredictions*, std::pair<std::vector<double>, std::vector<double>>> mu;

  ScoredLog(const Dataset& data, const NuisanceSet& nuisances)
      : treatment(gather(std::span<const std::uint8_t>(data.treatment), nuisances.scored)),
        outcome(gather(data.outcome, nuisances.scored)) {
    for (const auto& [name, nuisance] : nuisances.propensities) {
      propensity[&nuisance] = gather(nuisance.probability, nuisances.scored);
    }
    for (const auto& [name, model] : nuisances.outcome_models) {
      mu[&model] = {gather(model.mu0, nuisances.scored), gather(model.mu1, nuisances.scored)};
    }
  }
};

OutcomeView outcome_view(const OutcomePredictions& model, const ScoredLog& log,
                         std::size_t policy) {
  const auto& [mu0, mu1] = log.mu.at(&model);
  OutcomeView view{.mu0 = mu0, .mu1 = mu1};
  if (model.implied_weights.rows() > 0) view.implied_weights = model.implied_weights.row(policy);
  if (!model.model_variance.empty()) view.model_variance = model.model_variance[policy];
  return view;
}

/// A row named after a fitted model must not pass for one.
void note_given_model(const EstimatorInfo& estimator, Estimate& value) {
  const bool named_after_model =
      estimator.method == Method::kDirect || estimator.method == Method::kDoublyRobust;
  if (!named_after_model || estimator.outcome_model == "given") return;
  value.warnings.emplace_back("the outcome model is the given mu0 and mu1: none was fitted");
  if (value.status == EstimateStatus::kOk) value.status = EstimateStatus::kCaution;
}

/// A policy's result without estimates.
PolicyResult describe_policy(const EvaluatedPolicy& policy, const LoadedData& data,
                             std::span<const NodeIndex> scored) {
  PolicyResult result{
      .name = policy.name,
      .checksum = Checksum().add(std::span<const double>(policy.treat_probability)).hex(),
      .treated_fraction = mean(gather(policy.treat_probability, scored))};
  if (data.truth) result.truth = data.truth->utility(policy.treat_probability, scored);
  return result;
}

void add_estimates(const Context& context, const EvaluatedPolicy& policy, std::size_t number,
                   const ScoredLog& log, const NuisanceSet& nuisances,
                   std::span<const EstimatorInfo* const> estimators,
                   const EstimatorOptions& options, PolicyResult& result) {
  const std::vector<double> probability = gather(policy.treat_probability, nuisances.scored);
  for (const EstimatorInfo* estimator : estimators) {
    if (estimator->method == Method::kKernelBalancing) {
      const BalancedLog& balance = nuisances.balances.find(estimator->kernel)->second;
      result.estimates.push_back(
          estimate_balanced(*estimator, balance.value(context, policy.treat_probability), options));
      continue;
    }
    EstimationInput input{
        .treatment = log.treatment, .outcome = log.outcome, .policy = probability};
    if (estimator->needs_propensity()) {
      const PropensityNuisance& nuisance = nuisances.propensity_of(*estimator);
      input.propensity = log.propensity.at(&nuisance);
      input.propensity_bound = nuisance.bound;
    }
    if (estimator->needs_outcome_model()) {
      input.outcome_model = outcome_view(nuisances.outcome_model_of(*estimator), log, number);
    }
    Estimate value = estimate(*estimator, input, options);
    if (nuisances.given_outcome_model) note_given_model(*estimator, value);
    result.estimates.push_back(std::move(value));
  }
}

nlohmann::ordered_json config_json(const Context& context, const EvaluateOptions& options,
                                   std::span<const EvaluatedPolicy> policies,
                                   std::span<const EstimatorInfo* const> estimators) {
  nlohmann::ordered_json config = option_json(options);
  config["estimators"] = nlohmann::ordered_json::array();
  for (const EstimatorInfo* estimator : estimators) {
    config["estimators"].push_back(std::string(estimator->name));
  }
  config["policies"] = nlohmann::ordered_json::array();
  for (const EvaluatedPolicy& policy : policies) config["policies"].push_back(policy.name);
  config["seed"] = context.seed();
  return config;
}

/// Runs the estimators that have become ready and takes them off the list.
void run_ready_estimators(const Context& context, const Dataset& data,
                          std::span<const EvaluatedPolicy> policies, const NuisanceSet& nuisances,
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
                      std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options,
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
    estimate_ready();
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
  const bool own_model = options.nuisances == NuisanceSource::kGiven && data.mu0.has_value();
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
               std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options,
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
  for (const EvaluatedPolicy& policy : policies) {
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
  for (std::string& warning : warn_of_rounding_columns(data.observed.features)) {
    record.diagnostics.warnings.push_back(std::move(warning));
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
           (estimator->outcome_model == "cone" && !(given && data.mu0)) ||
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
                    std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options,
                    const ConeFit* fitted_cone) {
  try {
    return run(context, data, policies, options, fitted_cone);
  } catch (const Cancelled&) {
    return {RunStatus::kCancelled, {}};
  }
}

}  // namespace cone

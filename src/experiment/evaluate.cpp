#include "cone/experiment/evaluate.hpp"

#include <algorithm>
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

/// Beyond this many entries and directed edges, five folds of networks take more than minutes: they
/// run where the user asks for them.
constexpr std::uint64_t kLargestDefaultCone = 5'000'000;

bool is_large(const Dataset& data) {
  return 2 * data.graph.num_edges() + data.features.matrix.num_entries() > kLargestDefaultCone;
}

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

PolicyResult evaluate_policy(const Context& context, const EvaluatedPolicy& policy,
                             std::size_t number, const LoadedData& data, const ScoredLog& log,
                             const NuisanceSet& nuisances,
                             std::span<const EstimatorInfo* const> estimators,
                             const EstimatorOptions& options) {
  const std::vector<double> probability = gather(policy.treat_probability, nuisances.scored);
  PolicyResult result{
      .name = policy.name,
      .checksum = Checksum().add(std::span<const double>(policy.treat_probability)).hex(),
      .treated_fraction = mean(probability)};
  if (data.truth) result.truth = data.truth->utility(policy.treat_probability, nuisances.scored);
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
  return result;
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

EvaluationRecord run(const Context& context, const LoadedData& data,
                     std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options,
                     const ConeFit* fitted_cone) {
  validate(options);
  require_log(data.observed);
  require(!policies.empty(), "evaluate: no policy");
  const auto estimators = chosen_estimators(data.observed, options);

  EvaluationRecord record;
  record.version = kVersion;
  record.revision = source_revision();
  record.commit = build_commit();
  record.config = config_json(context, options, policies, estimators);
  record.data = summarise(data.observed);

  const Stopwatch fitting;
  const Matrix<double> probabilities = policy_matrix(policies, data.observed.num_nodes());
  const NuisanceSet nuisances = prepare_nuisances(context, data.observed, estimators,
                                                  probabilities.view(), options, fitted_cone);
  record.timing_seconds["nuisances"] = fitting.seconds();

  const Stopwatch estimating;
  const ScoredLog log(data.observed, nuisances);
  for (std::size_t p = 0; p < policies.size(); ++p) {
    record.policies.push_back(evaluate_policy(context, policies[p], p, data, log, nuisances,
                                              estimators, options.estimator));
  }
  record.diagnostics = diagnose(data, nuisances);
  record.diagnostics.feature_scaling =
      describe_scaling(data.observed.features, estimators, options.nuisance);
  for (std::string& warning : warn_of_rounding_columns(data.observed.features)) {
    record.diagnostics.warnings.push_back(std::move(warning));
  }
  const bool own_model =
      options.nuisances == NuisanceSource::kGiven && data.observed.mu0.has_value();
  if (options.estimators.empty() && !own_model && is_large(data.observed)) {
    record.diagnostics.warnings.emplace_back(
        "cone was left out, as training on a network of this size takes long: --estimators cone "
        "runs it");
  }
  record.timing_seconds["estimates"] = estimating.seconds();
  return record;
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

Evaluation evaluate(const Context& context, const LoadedData& data,
                    std::span<const EvaluatedPolicy> policies, const EvaluateOptions& options,
                    const ConeFit* fitted_cone) {
  try {
    return {RunStatus::kCompleted, run(context, data, policies, options, fitted_cone)};
  } catch (const Cancelled&) {
    return {RunStatus::kCancelled, {}};
  }
}

}  // namespace cone

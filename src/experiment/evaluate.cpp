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
    EstimationInput input{
        .treatment = log.treatment, .outcome = log.outcome, .policy = probability};
    if (const PropensityNuisance* nuisance = nuisances.overlap_of(*estimator)) {
      const ScoredPropensity& scored = log.propensity.at(nuisance);
      input.propensity = {scored.probability, scored.unbounded, nuisance->bound};
    }
    if (estimator->method == Method::kKernelBalancing) {
      const BalancedLog& balance = nuisances.balances.find(estimator->kernel)->second;
      result.estimates.push_back(estimate_balanced(
          *estimator, input, balance.value(context, policy.treat_probability), options));
      continue;
    }
    if (estimator->needs_outcome_model()) {
      input.outcome_model = outcome_view(nuisances.outcome_model_of(*estimator), log, number);
      input.outcome_model.given = nuisances.given_outcome_model;
    }
    Estimate value = estimate(*estimator, input, options);
    note_given_nuisances(*estimator, nuisances, value);
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

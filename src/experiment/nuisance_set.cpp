#include "experiment/nuisance_set.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/nuisance/network_model.hpp"

namespace cone {
namespace {

/// Adds a name once; estimators without a need have an empty one.
void add_name(std::string_view name, std::vector<std::string_view>& names) {
  if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

OutcomePredictions given_predictions(const Dataset& data) {
  OutcomePredictions predictions;
  predictions.mu0 = *data.mu0;
  predictions.mu1 = *data.mu1;
  return predictions;
}

OutcomeModel model_named(std::string_view name) {
  for (const auto& [model, candidate] : EnumNames<OutcomeModel>::kNames) {
    if (candidate == name) return model;
  }
  throw Error(ErrorCode::kInternal, Fault{.what = "no outcome model " + std::string(name)});
}

void require_given_columns(const Dataset& data, std::span<const EstimatorInfo* const> estimators) {
  FaultList faults;
  if (!data.propensity && !data.mu0) {
    faults.add("given", {{.item = "--nuisances given"},
                         "the data has none of the columns propensity, mu0 and mu1",
                         "add them to nodes.csv, or leave the flag out to fit them"});
  }
  for (const EstimatorInfo* estimator : estimators) {
    if (estimator->outcome_model == "given" && !data.mu0) {
      faults.add("given", {{.item = std::string(estimator->name)},
                           "needs the columns mu0 and mu1",
                           "add them to nodes.csv, or choose a fitted estimator such as " +
                               std::string(estimator->name) + "_ridge"});
    }
  }
  faults.throw_if_any(ErrorCode::kData);
}

/// Where nothing is fitted, no folds are needed (and tiny data may not allow any).
std::vector<NodeIndex> nodes_scored_without_fitting(const Dataset& data,
                                                    const EvaluateOptions& options,
                                                    std::uint64_t seed) {
  if (options.plan.protocol == Protocol::kSplit) {
    return make_split(data, options.plan.split, seed).test;
  }
  std::vector<NodeIndex> all(data.num_nodes());
  std::iota(all.begin(), all.end(), NodeIndex{0});
  return all;
}

/// What has to be fitted for a set of estimators.
struct Needs {
  std::vector<std::string_view> propensities;
  std::vector<std::string_view> outcome_models;
  std::vector<std::string_view> kernels;

  bool nothing() const { return propensities.empty() && outcome_models.empty(); }
};

PropensityNuisance fitted_nuisance(PropensityPredictions fitted, double bound) {
  return {.probability = std::move(fitted.probability),
          .unbounded = std::move(fitted.unbounded),
          .bound = bound,
          .clipped_fraction = fitted.clipped_fraction,
          .warnings = std::move(fitted.warnings)};
}

/// Adds what is needed of cone, and takes it off the list.
void add_cone(const Context& context, const Dataset& data, const EvaluateOptions& options,
              const ConeFit* fitted, Needs& needs, NuisanceSet& set) {
  const bool needs_propensity = std::erase(needs.propensities, "cone") > 0;
  const bool needs_outcomes = std::erase(needs.outcome_models, "cone") > 0;
  const bool needs_kernel = std::erase(needs.kernels, "cone") > 0;
  if (!needs_propensity && !needs_outcomes && !needs_kernel) return;
  std::optional<ConeFit> own;
  if (fitted == nullptr) fitted = &own.emplace(fit_cone(context, data, options.plan, options.cone));
  require(canonical_text(fitted->plan) == canonical_text(options.plan) &&
              fitted->seed == context.seed(),
          "evaluate: cone was fitted by another plan");
  const double bound = options.nuisance.propensity_bound;
  ConePredictions predictions = predict_cone(context, data, *fitted, bound);
  set.scored = std::move(predictions.scored);
  if (!set.given_propensity) {  // where no estimator needs them, they still show the overlap
    set.propensities["cone"] = fitted_nuisance(std::move(predictions.propensities), bound);
  }
  if (needs_outcomes) set.outcome_models["cone"] = std::move(predictions.outcomes);
  if (needs_kernel) {
    set.balances.emplace("cone",
                         BalancedLog::on_representations(context, data, *fitted, options.kernel));
  }
  for (const ConeFold& fold : fitted->folds) set.trainings.push_back(fold.training);
}

void fit_on_features(const Context& context, const Dataset& data, MatrixView<const double> policies,
                     const EvaluateOptions& options, const Needs& needs, NuisanceSet& set) {
  const FitPlan plan = make_plan(data, options.plan, context.seed());
  set.scored = plan.scored;
  for (const std::string_view name : needs.propensities) {
    set.propensities[std::string(name)] =
        fitted_nuisance(predict_propensities(context, data, plan, options.nuisance),
                        options.nuisance.propensity_bound);
  }
  for (const std::string_view name : needs.outcome_models) {
    set.outcome_models[std::string(name)] =
        name == "nn"
            ? predict_by_networks(context, data, plan, options.cone)
            : predict_outcomes(context, data, plan, model_named(name), policies, options.nuisance);
  }
}

/// Where no estimator needs propensities, only the diagnostics do: too little data for a fit must
/// not stop what can be estimated.
void fit_overlap(const Context& context, const Dataset& data, const EvaluateOptions& options,
                 NuisanceSet& set) {
  try {
    const FitPlan plan = make_plan(data, options.plan, context.seed());
    set.propensities["features"] =
        fitted_nuisance(predict_propensities(context, data, plan, options.nuisance),
                        options.nuisance.propensity_bound);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kData) throw;
    set.warnings.push_back(
        "no propensities could be fitted to see whether the log supports the "
        "policies: " +
        error.faults().front().what);
  }
}

/// A column that the user brought and that nothing reads.
void warn_of_idle_columns(const Dataset& data, const EvaluateOptions& options, NuisanceSet& set) {
  if (options.nuisances == NuisanceSource::kGiven) return;
  if (!data.propensity && !data.mu0) return;
  const char* columns = !data.mu0          ? "propensity was"
                        : !data.propensity ? "mu0 and mu1 were"
                                           : "propensity, mu0 and mu1 were";
  set.warnings.push_back(fmt::format(
      "the data's own {} not used: --nuisances given takes them instead of fitting", columns));
}

}  // namespace

const PropensityNuisance& NuisanceSet::propensity_of(const EstimatorInfo& estimator) const {
  const auto found =
      given_propensity ? propensities.find("given") : propensities.find(estimator.propensity_model);
  require(found != propensities.end(), "evaluate: a propensity model was not prepared");
  return found->second;
}

const PropensityNuisance* NuisanceSet::overlap_of(const EstimatorInfo& estimator) const {
  if (estimator.needs_propensity()) return &propensity_of(estimator);
  const std::string_view own = estimator.needs_cone() ? "cone" : "features";
  for (const std::string_view name :
       {std::string_view("given"), own, std::string_view("features"), std::string_view("cone")}) {
    const auto found = propensities.find(name);
    if (found != propensities.end()) return &found->second;
  }
  return nullptr;
}

const OutcomePredictions& NuisanceSet::outcome_model_of(const EstimatorInfo& estimator) const {
  const auto found = given_outcome_model ? outcome_models.find("given")
                                         : outcome_models.find(estimator.outcome_model);
  require(found != outcome_models.end(), "evaluate: an outcome model was not prepared");
  return found->second;
}

NuisanceSet prepare_nuisances(const Context& context, const Dataset& data,
                              std::span<const EstimatorInfo* const> estimators,
                              MatrixView<const double> policies, const EvaluateOptions& options,
                              const ConeFit* fitted_cone) {
  const bool given = options.nuisances == NuisanceSource::kGiven;
  if (given) require_given_columns(data, estimators);

  NuisanceSet set;
  Needs needs;
  for (const EstimatorInfo* estimator : estimators) {
    add_name(estimator->propensity_model, needs.propensities);
    add_name(estimator->outcome_model, needs.outcome_models);
    add_name(estimator->kernel, needs.kernels);
  }
  set.given_propensity = given && data.propensity.has_value();
  warn_of_idle_columns(data, options, set);
  if (set.given_propensity) {
    set.propensities["given"] = {.probability = *data.propensity};
    needs.propensities.clear();
  }
  set.given_outcome_model = given && data.mu0.has_value();
  if (set.given_outcome_model && !needs.outcome_models.empty()) {
    set.outcome_models["given"] = given_predictions(data);
    needs.outcome_models.clear();
  }

  add_cone(context, data, options, fitted_cone, needs, set);
  if (needs.nothing()) {
    if (set.scored.empty()) {
      set.scored = nodes_scored_without_fitting(data, options, context.seed());
    }
  } else {
    fit_on_features(context, data, policies, options, needs, set);
  }
  if (set.propensities.empty()) fit_overlap(context, data, options, set);
  if (!needs.kernels.empty()) {
    set.balances.emplace("features",
                         BalancedLog::on_features(context, data, set.scored, options.kernel));
  }
  return set;
}

}  // namespace cone

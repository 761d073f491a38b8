#include "experiment/nuisance_set.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cone/base/error.hpp"

namespace cone {
namespace {

bool any_needs_propensity(std::span<const EstimatorInfo* const> estimators) {
  return std::any_of(estimators.begin(), estimators.end(),
                     [](const EstimatorInfo* e) { return e->needs_propensity(); });
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

FitPlan make_plan(const Dataset& data, const EvaluateOptions& options, std::uint64_t seed) {
  if (options.protocol == Protocol::kSplit) {
    return split_plan(make_split(data, options.split, seed));
  }
  return cross_fit_plan(data, options.folds, options.selection_folds, seed);
}

/// Where nothing is fitted, no folds are needed (and tiny data may not allow any).
std::vector<NodeIndex> nodes_scored_without_fitting(const Dataset& data,
                                                    const EvaluateOptions& options,
                                                    std::uint64_t seed) {
  if (options.protocol == Protocol::kSplit) return make_split(data, options.split, seed).test;
  std::vector<NodeIndex> all(data.num_nodes());
  std::iota(all.begin(), all.end(), NodeIndex{0});
  return all;
}

}  // namespace

const OutcomePredictions& NuisanceSet::outcome_model_of(const EstimatorInfo& estimator) const {
  const auto found = given_outcome_model ? outcome_models.find("given")
                                         : outcome_models.find(estimator.outcome_model);
  require(found != outcome_models.end(), "evaluate: an outcome model was not prepared");
  return found->second;
}

NuisanceSet prepare_nuisances(const Context& context, const Dataset& data,
                              std::span<const EstimatorInfo* const> estimators,
                              MatrixView<const double> policies, const EvaluateOptions& options) {
  const bool given = options.nuisances == NuisanceSource::kGiven;
  if (given) require_given_columns(data, estimators);

  NuisanceSet set;
  const bool needs_propensity = any_needs_propensity(estimators);
  if (given && data.propensity && needs_propensity) {
    set.propensity = PropensityNuisance{.source = "given", .probability = *data.propensity};
  }
  set.given_outcome_model = given && data.mu0.has_value();
  std::vector<std::string_view> models_to_fit;
  for (const EstimatorInfo* estimator : estimators) {
    if (!estimator->needs_outcome_model()) continue;
    if (set.given_outcome_model) {
      if (set.outcome_models.empty()) set.outcome_models["given"] = given_predictions(data);
    } else if (std::find(models_to_fit.begin(), models_to_fit.end(), estimator->outcome_model) ==
               models_to_fit.end()) {
      models_to_fit.push_back(estimator->outcome_model);
    }
  }

  const bool fits_propensity = needs_propensity && !set.propensity;
  if (!fits_propensity && models_to_fit.empty()) {
    set.scored = nodes_scored_without_fitting(data, options, context.seed());
    return set;
  }
  const FitPlan plan = make_plan(data, options, context.seed());
  set.scored = plan.scored;
  if (fits_propensity) {
    PropensityPredictions fitted = predict_propensities(context, data, plan, options.nuisance);
    set.propensity = PropensityNuisance{.source = "fitted",
                                        .probability = std::move(fitted.probability),
                                        .bound = options.nuisance.propensity_bound,
                                        .clipped_fraction = fitted.clipped_fraction,
                                        .warnings = std::move(fitted.warnings)};
  }
  for (const std::string_view name : models_to_fit) {
    set.outcome_models[std::string(name)] =
        predict_outcomes(context, data, plan, model_named(name), policies, options.nuisance);
  }
  return set;
}

}  // namespace cone

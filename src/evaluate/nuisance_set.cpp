#include "evaluate/nuisance_set.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "evaluate/workload.hpp"
#include "nuisance/network_model.hpp"

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
  predictions.mu0 = arm_column(data.mu->view(), 0);
  predictions.mu1 = arm_column(data.mu->view(), 1);
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
  if (!data.propensity && !data.mu) {
    faults.add("given", {{.item = "--nuisances given"},
                         "the data has none of the columns propensity, mu0 and mu1",
                         "add them to nodes.csv, or leave the flag out to fit them"});
  }
  for (const EstimatorInfo* estimator : estimators) {
    if (estimator->outcome_model == "given" && !data.mu) {
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

PropensityNuisance fitted_nuisance(PropensityPredictions fitted, double bound) {
  return {.probability = std::move(fitted.probability),
          .unbounded = std::move(fitted.unbounded),
          .bound = bound,
          .clipped_fraction = fitted.clipped_fraction,
          .warnings = std::move(fitted.warnings)};
}

bool takes_propensity(const Dataset& data, const EvaluateOptions& options) {
  return options.nuisances == NuisanceSource::kGiven && data.propensity.has_value();
}

bool takes_outcome_model(const Dataset& data, const EvaluateOptions& options) {
  return options.nuisances == NuisanceSource::kGiven && data.mu.has_value();
}

/// Which parts of cone's networks estimators use.
struct ConeParts {
  bool propensity = false;
  bool outcomes = false;
  bool kernel = false;

  bool any() const { return propensity || outcomes || kernel; }
};

ConeParts cone_parts(const Dataset& data, std::span<const EstimatorInfo* const> estimators,
                     const EvaluateOptions& options) {
  ConeParts parts;
  for (const EstimatorInfo* estimator : estimators) {
    parts.propensity |= estimator->propensity_model == "cone" && !takes_propensity(data, options);
    parts.outcomes |= estimator->outcome_model == "cone" && !takes_outcome_model(data, options);
    parts.kernel |= estimator->kernel == "cone";
  }
  return parts;
}

/// Where no estimator needs propensities, only the diagnostics do: too little data for a fit must
/// not stop what can be estimated.
void fit_overlap(const Context& context, const Dataset& data, const EvaluateOptions& options,
                 NuisanceSet& set) {
  try {
    const FitPlan plan = make_plan(context, data, options.plan, context.seed());
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
  if (!data.propensity && !data.mu) return;
  const char* columns = !data.mu           ? "propensity was"
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

bool NuisanceSet::is_ready_for(const EstimatorInfo& estimator) const {
  const auto has = [](const auto& fitted, std::string_view name) {
    return name.empty() || fitted.find(name) != fitted.end();
  };
  return (given_propensity || has(propensities, estimator.propensity_model)) &&
         (given_outcome_model || has(outcome_models, estimator.outcome_model)) &&
         has(balances, estimator.kernel);
}

std::vector<NuisanceStep> plan_nuisances(const Context& context, const Dataset& data,
                                         std::span<const EstimatorInfo* const> estimators,
                                         const EvaluateOptions& options,
                                         const ConeFit* fitted_cone) {
  using Kind = NuisanceStep::Kind;
  if (options.nuisances == NuisanceSource::kGiven) require_given_columns(data, estimators);
  std::vector<NuisanceStep> steps;
  const Workload work(data, options, context.num_threads());
  bool needs_propensity = false;
  bool needs_kernel = false;
  bool shows_overlap = false;
  std::vector<std::string_view> models;
  for (const EstimatorInfo* estimator : estimators) {
    needs_propensity |= estimator->propensity_model == "features";
    needs_kernel |= estimator->kernel == "features";
    shows_overlap |= !estimator->needs_propensity() && !estimator->needs_cone();
    if (estimator->outcome_model != "cone") add_name(estimator->outcome_model, models);
  }
  if (takes_outcome_model(data, options)) models.clear();
  for (const std::string_view name : models) {
    const double seconds =
        name == "nn" ? work.network_seconds() : work.regression_seconds(name == "ridge");
    steps.push_back({Kind::kOutcomeModel, std::string(name), seconds});
  }
  if (needs_kernel) steps.push_back({Kind::kKernel, "okb", work.kernel_seconds()});
  if (cone_parts(data, estimators, options).any()) {
    steps.push_back({Kind::kCone, "cone", work.cone_seconds(/*is_fitted=*/fitted_cone != nullptr)});
  }
  std::stable_sort(steps.begin(), steps.end(), [](const NuisanceStep& a, const NuisanceStep& b) {
    return a.expected_seconds < b.expected_seconds;
  });
  // First of all, as rows without propensities of their own show the overlap by these.
  if ((needs_propensity || shows_overlap) && !takes_propensity(data, options)) {
    steps.insert(steps.begin(), {needs_propensity ? Kind::kPropensity : Kind::kOverlap,
                                 "propensity", work.propensity_seconds()});
  }
  return steps;
}

NuisanceFitter::NuisanceFitter(const Context& context, const Dataset& data,
                               MatrixView<const double> policies, const EvaluateOptions& options,
                               const ConeFit* fitted_cone,
                               std::span<const EstimatorInfo* const> estimators,
                               std::span<const NuisanceStep> steps)
    : context_(context),
      data_(data),
      policies_(policies),
      options_(options),
      fitted_cone_(fitted_cone),
      estimators_(estimators) {
  set_.given_propensity = takes_propensity(data, options);
  set_.given_outcome_model = takes_outcome_model(data, options);
  warn_of_idle_columns(data, options, set_);
  if (set_.given_propensity) {  // for the overlap, where no estimator needs them
    set_.propensities["given"] = {.probability = arm_column(data.propensity->view(), 1)};
  }
  const bool needs_model =
      std::any_of(estimators.begin(), estimators.end(),
                  [](const EstimatorInfo* estimator) { return estimator->needs_outcome_model(); });
  if (set_.given_outcome_model && needs_model) {
    set_.outcome_models["given"] = given_predictions(data);
  }
  const bool fits_models = std::any_of(steps.begin(), steps.end(), [](const NuisanceStep& step) {
    return step.kind != NuisanceStep::Kind::kKernel && step.kind != NuisanceStep::Kind::kOverlap;
  });
  if (fits_models) {
    plan_ = make_plan(context, data, options.plan, context.seed());
    set_.scored = plan_.scored;
  } else {
    set_.scored = nodes_scored_without_fitting(data, options, context.seed());
  }
}

void NuisanceFitter::fit(const NuisanceStep& step) {
  switch (step.kind) {
    case NuisanceStep::Kind::kPropensity:
      set_.propensities["features"] =
          fitted_nuisance(predict_propensities(context_, data_, plan_, options_.nuisance),
                          options_.nuisance.propensity_bound);
      break;
    case NuisanceStep::Kind::kOverlap:
      fit_overlap(context_, data_, options_, set_);
      break;
    case NuisanceStep::Kind::kOutcomeModel:
      set_.outcome_models[step.name] =
          step.name == "nn" ? predict_by_networks(context_, data_, plan_, options_.cone)
                            : predict_outcomes(context_, data_, plan_, model_named(step.name),
                                               policies_, options_.nuisance);
      break;
    case NuisanceStep::Kind::kKernel:
      set_.balances.emplace(
          "features", BalancedLog::on_features(context_, data_, set_.scored, options_.kernel));
      break;
    case NuisanceStep::Kind::kCone:
      fit_cone_parts();
      break;
  }
}

void NuisanceFitter::fit_cone_parts() {
  std::optional<ConeFit> own;
  const ConeFit* fit = fitted_cone_;
  if (fit == nullptr) fit = &own.emplace(fit_cone(context_, data_, options_.plan, options_.cone));
  require(
      canonical_text(fit->plan) == canonical_text(options_.plan) && fit->seed == context_.seed(),
      "evaluate: cone was fitted by another plan");
  const ConeParts parts = cone_parts(data_, estimators_, options_);
  const double bound = options_.nuisance.propensity_bound;
  ConePredictions predictions = predict_cone(context_, data_, *fit, bound);
  require(predictions.scored == set_.scored, "evaluate: cone scored other nodes");
  if (parts.kernel) {
    set_.balances.emplace("cone",
                          BalancedLog::on_representations(context_, data_, *fit, options_.kernel));
  }
  if (!set_.given_propensity) {  // for the overlap, where no estimator needs them
    set_.propensities["cone"] = fitted_nuisance(std::move(predictions.propensities), bound);
  }
  if (parts.outcomes) set_.outcome_models["cone"] = std::move(predictions.outcomes);
  for (const ConeFold& fold : fit->folds) set_.trainings.push_back(fold.training);
}

}  // namespace cone

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"
#include "cone/policy.hpp"

#include "cone_networks/cone_fit.hpp"
#include "evaluate/fitted_model.hpp"
#include "nuisance/network_learner.hpp"
#include "options/json_number.hpp"
#include "study/joined_estimates.hpp"
#include "study/study.hpp"
#include "study/tune.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// The distinct estimation variants of a group's methods.
std::set<std::pair<Correction, bool>> variants_of(const MethodGroup& group) {
  std::set<std::pair<Correction, bool>> variants;
  for (const StudyMethod& method : group.methods) {
    variants.emplace(method.correction, method.normalised_kernel);
  }
  return variants;
}

Json evaluate_joined_group(const Context& context, const LoadedData& data,
                           MatrixView<const double> policy, const MethodGroup& group,
                           const EvaluateOptions& options) {
  const FitPlan plan = make_plan(context, data.observed, options.plan, context.seed());
  std::vector<std::string_view> estimators;
  for (const StudyMethod& method : group.methods) estimators.push_back(method.estimator);
  const std::vector<double> values =
      estimate_joined(context, data.observed, policy, plan, estimators, options);
  Json result = {{"truth", json_number(data.truth->value(policy, plan.scored))},
                 {"values", Json::object()}};
  for (std::size_t k = 0; k < values.size(); ++k) {
    result["values"][std::string(group.methods[k].label)] = json_number(values[k]);
  }
  return result;
}

Json evaluate_group(const Context& context, const StudySetting& setting, std::uint64_t simulation,
                    const MethodGroup& group, EvaluateOptions options) {
  const LoadedData data = simulate_setting(context, setting, simulation);
  const std::vector<std::string> policy = {fmt::format("random-weights:{}", simulation)};
  const auto policies = resolve_policies(context, data.observed, policy);
  if (group.fit_nodes == FitNodes::kTrainAndValidation) {
    return evaluate_joined_group(context, data, policies.front().probability.view(), group,
                                 options);
  }
  FittedModel model;
  if (group.name == kConeGroup) {
    model.networks = fit_cone(context, data.observed, options.plan, options.cone);
  } else if (group.name == kNetworksGroup) {
    options.cone = choose_networks(context, data.observed, options.plan);
  }
  Json result = {{"truth", nullptr}, {"values", Json::object()}};
  if (group.name == kNetworksGroup) result["chosen"] = option_json(options.cone);
  for (const auto& [correction, normalised_kernel] : variants_of(group)) {
    options.estimator.correction = correction;
    options.kernel.kernel_normalised = normalised_kernel;
    options.estimators.clear();
    std::vector<std::string> labels;
    for (const StudyMethod& method : group.methods) {
      if (method.correction != correction || method.normalised_kernel != normalised_kernel) {
        continue;
      }
      options.estimators.emplace_back(method.estimator);
      labels.emplace_back(method.label);
    }
    const EvaluationRecord record =
        evaluate(context, data, policies, options, model.networks ? &model : nullptr);
    if (!record.unfinished.empty()) throw Cancelled();
    const PolicyResult& evaluated = record.policies.front();
    result["truth"] = json_number(evaluated.truth.value());
    if (group.name == kConeGroup) {
      const FoldTraining& training = record.diagnostics.trainings.front();
      result["training"] = {{"outcome_error", json_number(training.arm_network_mse)},
                            {"propensity_loss", json_number(training.propensity_loss)}};
    }
    for (std::size_t k = 0; k < labels.size(); ++k) {
      result["values"][labels[k]] = json_number(evaluated.estimates[k].value);
    }
  }
  return result;
}

/// Whether a result has the truth and a value for each method of the group.
bool are_group_values(const Json& result, const MethodGroup& group) {
  if (!result.is_object() || !result.contains("truth")) return false;
  const auto values = result.find("values");
  return values != result.end() && values->is_object() &&
         std::all_of(group.methods.begin(), group.methods.end(), [&](const StudyMethod& method) {
           return values->contains(std::string(method.label));
         });
}

/// Every run of one simulation, by one fit.
Json evaluate_runs(const Context& context, const StudySetting& setting, std::uint64_t simulation,
                   int runs, const MethodGroup& group, const EvaluateOptions& options) {
  const LoadedData data = simulate_setting(context, setting, simulation);
  const auto policies = resolve_policies(context, data.observed,
                                         std::vector{fmt::format("random-weights:{}", simulation)});
  const MatrixView<const double> policy = policies.front().probability.view();
  std::vector<std::vector<NodeIndex>> tests;
  for (int run = 0; run < runs; ++run) {
    const PlanOptions split{.protocol = Protocol::kSplit};
    // The splits of study_unit: runs have consecutive seeds.
    const std::uint64_t seed = context.seed() + static_cast<std::uint64_t>(run);
    tests.push_back(make_plan(context, data.observed, split, seed).scored);
  }
  const std::vector<double> values =
      estimate_by_joint_model(context, data.observed, policy, tests, options);
  Json result = {{"runs", Json::array()}};
  for (std::size_t run = 0; run < tests.size(); ++run) {
    const std::string label(group.methods.front().label);
    result["runs"].push_back({{"truth", json_number(data.truth->value(policy, tests[run]))},
                              {"values", {{label, json_number(values[run])}}}});
  }
  return result;
}

/// Without a function to run.
Unit unit_of_group(const StudySetting& setting, std::uint64_t simulation, std::uint64_t run,
                   const MethodGroup& group, const EvaluateOptions& options) {
  Unit unit = unit_on_simulation("study", setting, simulation, group.name, options, run);
  Json& json = unit.identity.options;
  json["run"] = run;
  json["policy"] = fmt::format("random-weights:{}", simulation);
  json["joins_validation"] = group.fit_nodes == FitNodes::kTrainAndValidation;
  json["methods"] = Json::array();
  for (const StudyMethod& method : group.methods) {
    json["methods"].push_back({{"label", std::string(method.label)},
                               {"estimator", std::string(method.estimator)},
                               {"correction", std::string(enum_name(method.correction))},
                               {"normalised_kernel", method.normalised_kernel}});
  }
  json["evaluation"].erase("correction");
  json["evaluation"].erase("kernel_normalised");
  if (group.name == kNetworksGroup) {
    json["candidates"] = Json::array();
    for (const ConeOptions& candidate : network_candidates()) {
      json["candidates"].push_back(option_json(candidate));
    }
  }
  return unit;
}

}  // namespace

Unit simulation_unit(const StudySetting& setting, std::uint64_t simulation, int runs,
                     const MethodGroup& group) {
  require(group.fit_nodes == FitNodes::kAll && group.methods.size() == 1,
          "simulation_unit: one method without a split");
  const EvaluateOptions options = study_evaluation();
  Unit unit = unit_of_group(setting, simulation, 0, group, options);
  unit.identity.options["runs"] = runs;
  unit.run = [=](const Context& context) {
    return evaluate_runs(context, setting, simulation, runs, group, options);
  };
  unit.accepts = [group, runs](const Json& result) {
    if (!result.is_object() || !result.contains("runs")) return false;
    const Json& all = result.at("runs");
    return all.is_array() && all.size() == static_cast<std::size_t>(runs) &&
           std::all_of(all.begin(), all.end(),
                       [&](const Json& run) { return are_group_values(run, group); });
  };
  return unit;
}

std::vector<ConeOptions> network_candidates() {
  const std::vector<GridAxis> axes = {{"learning_rate", {"0.005", "0.02"}},
                                      {"weight_decay", {"0", "0.1", "1"}}};
  return expand_grid(ConeOptions{}, axes);
}

ConeOptions choose_networks(const Context& context, const Dataset& data, const PlanOptions& plan) {
  const FitPlan split = make_plan(context, data, plan, context.seed());
  ConeOptions best;
  double least = std::numeric_limits<double>::infinity();
  for (const ConeOptions& candidate : network_candidates()) {
    const double error =
        NetworkLearner(candidate).fit(context, data, split).outcome->selection_error;
    if (error < least) {
      least = error;
      best = candidate;
    }
  }
  return best;
}

Unit study_unit(const StudySetting& setting, std::uint64_t simulation, std::uint64_t run,
                const MethodGroup& group, const ConeOptions& networks) {
  EvaluateOptions options = study_evaluation();
  options.plan.protocol = Protocol::kSplit;
  if (group.name == kConeGroup) options.cone = networks;
  Unit unit = unit_of_group(setting, simulation, run, group, options);
  unit.name += fmt::format(", run {}", run);
  unit.run = [=](const Context& context) {
    return evaluate_group(context, setting, simulation, group, options);
  };
  unit.accepts = [group](const Json& result) { return are_group_values(result, group); };
  return unit;
}

ConeOptions tune_setting(const Context& context, const StudySetting& setting,
                         const StudyOptions& options, const UnitWork& work,
                         std::vector<std::string>& failures) {
  if (!options.tune) return {};
  TuneOptions how;
  how.plan.protocol = Protocol::kSplit;
  const LoadedData data = simulate_setting(context, setting, kTuningSimulation);
  const std::vector<ConeOptions> grid = expand_grid(ConeOptions{}, default_tuning_grid());
  UnitWork all = work;
  all.computes_missing = true;  // no unit of the setting is known before it is tuned
  const Tuning tuning = tune(context, data.observed, grid, how, all);
  for (const TunedPoint& point : tuning.ranked) {
    if (point.failure.empty()) continue;
    failures.push_back(fmt::format("tuning of {}: {}", setting.name, point.failure));
  }
  return tuning.ranked.front().options;
}

}  // namespace cone

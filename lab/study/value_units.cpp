#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/policy.hpp"

#include "options/json_number.hpp"
#include "simulate/self_contained.hpp"
#include "study/topic_features.hpp"
#include "study/value_study.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kFeaturesGroup = "features";
constexpr std::string_view kHeadline = "network_dm";  // that evaluate() prefers

/// Learners that use features only and are cheap.
bool learns_from_features(LearnerId learner) {
  constexpr std::array kLearners = {LearnerId::kNone,  LearnerId::kLogistic, LearnerId::kOls1,
                                    LearnerId::kOls2,  LearnerId::kRidge,    LearnerId::kNetworks,
                                    LearnerId::kKernel};
  return std::ranges::find(kLearners, learner) != kLearners.end();
}

std::string_view group_of(const EstimatorInfo& row) {
  if (!learns_from_features(row.outcome)) return row.outcome.name();
  return learns_from_features(row.weights) ? kFeaturesGroup : row.weights.name();
}

/// Names for resolve_policies(): policies with the weights of the simulation.
std::vector<std::string> specify(std::vector<std::string> policies, std::uint64_t simulation) {
  for (std::string& name : policies) {
    if (name == kStudyPolicies[0]) name = fmt::format("random-weights:{}", simulation);
  }
  return policies;
}

Json describe_estimate(const Estimate& estimate) {
  const auto ends = [](const auto& interval) {
    return Json::array({json_number(interval.first), json_number(interval.second)});
  };
  Json row = {{"value", json_number(estimate.value)},
              {"interval", ends(estimate.interval())},
              {"sampling_interval", ends(estimate.sampling_interval)},
              {"sensitivity_interval", ends(estimate.sensitivity_interval)},
              {"standard_errors", Json::object()}};
  for (const DependentError& error : estimate.errors_by_dependence) {
    row["standard_errors"][std::string(enum_name(error.dependence))] =
        json_number(error.standard_error);
  }
  return row;
}

Json evaluate_values(const Context& context, const StudySetting& setting, std::uint64_t simulation,
                     const ValueGroup& group) {
  LoadedData data = simulate_setting(context, setting, simulation);
  const std::vector<std::string> names = setting_policies(setting);
  // Policies use the words, also for the oracle.
  const auto policies = resolve_policies(context, data.observed, specify(names, simulation));
  if (group.is_oracle) data.observed.features = topic_features(setting.network->network);
  EvaluateOptions options = group.options;
  for (const ValueGroup::Row& row : group.rows) options.estimators.push_back(row.estimator);
  const EvaluationRecord record = evaluate(context, data, policies, options);
  if (!record.unfinished.empty()) throw Cancelled();
  Json result = Json::object();
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const PolicyResult& evaluated = record.policies[p];
    Json rows = Json::object();
    for (std::size_t k = 0; k < group.rows.size(); ++k) {
      rows[group.rows[k].label] = describe_estimate(evaluated.estimates[k]);
    }
    result[names[p]] = {{"truth", json_number(evaluated.truth.value())}, {"rows", std::move(rows)}};
  }
  if (group.decides()) {
    result["decision"] = record.decision ? describe_decision(*record.decision) : Json();
  }
  return result;
}

bool are_values(const Json& result, const StudySetting& setting, const ValueGroup& group) {
  if (!result.is_object()) return false;
  if (group.decides() && !(result.contains("decision") && is_decision(result.at("decision")))) {
    return false;
  }
  return std::ranges::all_of(setting_policies(setting), [&](const std::string& policy) {
    const auto part = result.find(policy);
    if (part == result.end() || !part->is_object() || !part->contains("truth")) return false;
    const auto rows = part->find("rows");
    if (rows == part->end() || !rows->is_object()) return false;
    return std::ranges::all_of(group.rows, [&](const ValueGroup::Row& row) {
      const auto found = rows->find(row.label);
      return found != rows->end() && found->is_object() && found->contains("value") &&
             found->contains("standard_errors") && found->contains("interval") &&
             found->contains("sampling_interval") && found->contains("sensitivity_interval");
    });
  });
}

}  // namespace

bool ValueGroup::decides() const {
  return options.sensitivity_interval &&
         std::ranges::any_of(rows, [](const Row& row) { return row.estimator == kHeadline; });
}

std::vector<std::string> setting_policies(const StudySetting& setting) {
  const std::size_t arms = is_self_contained(setting.outcome.world)
                               ? num_arms(setting.outcome.world)
                               : static_cast<std::size_t>(setting.outcome.arms);
  std::vector<std::string> policies(kStudyPolicies.begin(), kStudyPolicies.end());
  if (arms == 2) return policies;
  policies.clear();
  for (std::size_t a = 0; a < arms; ++a) policies.push_back(fmt::format("always:{}", a));
  return policies;
}

std::vector<std::string_view> choose_estimators(std::span<const std::string> given,
                                                std::span<const std::string_view> defaults) {
  if (given.empty()) return {defaults.begin(), defaults.end()};
  EvaluateOptions options;
  options.estimators.assign(given.begin(), given.end());
  validate(options);
  return {given.begin(), given.end()};
}

std::vector<ValueGroup> group_estimators(std::span<const std::string_view> names,
                                         const EvaluateOptions& options) {
  std::vector<ValueGroup> groups;
  for (const std::string_view name : names) {
    const EstimatorInfo* row = find_estimator(name);
    require(row != nullptr, "study: an estimator that is not in the catalogue");
    const std::string_view group_name = group_of(*row);
    auto group = std::ranges::find(groups, group_name, &ValueGroup::name);
    if (group == groups.end()) {
      groups.push_back({.name = std::string(group_name), .options = options});
      group = groups.end() - 1;
    }
    group->rows.push_back({std::string(name), std::string(name)});
  }
  return groups;
}

ValueGroup oracle_group() {
  return {.name = "topics", .rows = {{std::string(kOracleLabel), "dm_ridge"}}, .is_oracle = true};
}

Unit value_unit(const StudySetting& setting, std::uint64_t simulation, ValueGroup group) {
  group.options.estimator.target = Target::kSample;
  Unit unit = unit_on_simulation("values", setting, simulation, group.name, group.options);
  Json& options = unit.identity.options;
  options["policies"] = specify(setting_policies(setting), simulation);
  options["is_oracle"] = group.is_oracle;
  options["rows"] = Json::array();
  for (const ValueGroup::Row& row : group.rows) {
    options["rows"].push_back({{"label", row.label}, {"estimator", row.estimator}});
  }
  unit.run = [=](const Context& context) {
    return evaluate_values(context, setting, simulation, group);
  };
  unit.accepts = [=](const Json& result) { return are_values(result, setting, group); };
  return unit;
}

}  // namespace cone

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

std::vector<std::string> policies_of(std::uint64_t simulation) {
  return {fmt::format("random-weights:{}", simulation), "treat-all", "treat-none"};
}

Json evaluate_values(const Context& context, const ValueSetting& setting, std::uint64_t simulation,
                     const ValueGroup& group) {
  LoadedData data = simulate_setting(context, setting, simulation);
  // Policies use the words, also for the oracle.
  const auto policies = resolve_policies(context, data.observed, policies_of(simulation));
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
      const Estimate& estimate = evaluated.estimates[k];
      rows[group.rows[k].label] = {
          {"value", json_number(estimate.value)},
          {"interval",
           {json_number(estimate.interval().first), json_number(estimate.interval().second)}}};
    }
    result[std::string(kStudyPolicies[p])] = {{"truth", json_number(evaluated.truth.value())},
                                              {"rows", std::move(rows)}};
  }
  if (group.decides()) {
    result["decision"] = record.decision ? describe_decision(*record.decision) : Json();
  }
  return result;
}

bool are_values(const Json& result, const ValueGroup& group) {
  if (!result.is_object()) return false;
  if (group.decides() && !(result.contains("decision") && is_decision(result.at("decision")))) {
    return false;
  }
  return std::ranges::all_of(kStudyPolicies, [&](std::string_view policy) {
    const auto part = result.find(std::string(policy));
    if (part == result.end() || !part->is_object() || !part->contains("truth")) return false;
    const auto rows = part->find("rows");
    if (rows == part->end() || !rows->is_object()) return false;
    return std::ranges::all_of(group.rows, [&](const ValueGroup::Row& row) {
      const auto found = rows->find(row.label);
      return found != rows->end() && found->is_object() && found->contains("value") &&
             found->contains("interval") && found->at("interval").size() == 2;
    });
  });
}

}  // namespace

bool ValueGroup::decides() const {
  return options.sensitivity_interval &&
         std::ranges::any_of(rows, [](const Row& row) { return row.estimator == kHeadline; });
}

ValueSetting self_contained_setting(World world, std::uint64_t seed) {
  return {.name = std::string(enum_name(world)), .outcome = {.world = world}, .seed = seed};
}

LoadedData simulate_setting(const Context& context, const ValueSetting& setting,
                            std::uint64_t simulation) {
  const Context seeded = context.with_seed(setting.seed);
  if (setting.network == nullptr) {
    return simulate_self_contained(seeded, setting.outcome.world, simulation).data;
  }
  return simulate_data(seeded, setting.network->network, setting.outcome, simulation).data;
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

Unit value_unit(const ValueSetting& setting, std::uint64_t simulation, ValueGroup group) {
  group.options.estimator.target = Target::kSample;
  constexpr std::uint64_t kSeedsPerSimulation = 100'000;  // as in table 2
  Json options = {{"setting", setting.name},
                  {"outcome", option_json(setting.outcome)},
                  {"simulation", simulation},
                  {"simulation_seed", setting.seed},
                  {"policies", policies_of(simulation)},
                  {"group", group.name},
                  {"is_oracle", group.is_oracle},
                  {"rows", Json::array()},
                  {"evaluation", option_json(group.options)}};
  for (const ValueGroup::Row& row : group.rows) {
    options["rows"].push_back({{"label", row.label}, {"estimator", row.estimator}});
  }
  options["evaluation"].erase("estimators");
  Unit unit{.identity = {.kind = "values",
                         .options = std::move(options),
                         .seed = setting.seed + kSeedsPerSimulation * simulation,
                         .data_checksum = setting.network_checksum()}};
  unit.run = [=](const Context& context) {
    return evaluate_values(context, setting, simulation, group);
  };
  unit.accepts = [group](const Json& result) { return are_values(result, group); };
  return unit;
}

}  // namespace cone

#include "study/coverage_unit.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/policy.hpp"

#include "options/json_number.hpp"
#include "simulate/self_contained.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

EvaluateOptions coverage_evaluation() {
  EvaluateOptions options = study_evaluation();
  options.estimators = {"naive"};
  options.estimators.insert(options.estimators.end(), kCoverageRows.begin(), kCoverageRows.end());
  return options;
}

Json describe_row(const Estimate& estimate) {
  Json row = {{"value", json_number(estimate.value)},
              {"interval",
               {json_number(estimate.interval().first), json_number(estimate.interval().second)}},
              {"sampling_interval",
               {json_number(estimate.sampling_interval.first),
                json_number(estimate.sampling_interval.second)}},
              {"sensitivity_interval",
               {json_number(estimate.sensitivity_interval.first),
                json_number(estimate.sensitivity_interval.second)}},
              {"standard_errors", Json::object()}};
  for (const DependentError& error : estimate.errors_by_dependence) {
    row["standard_errors"][std::string(enum_name(error.dependence))] =
        json_number(error.standard_error);
  }
  return row;
}

Json evaluate_coverage(const Context& context, const ValueSetting& setting,
                       std::uint64_t simulation) {
  const LoadedData data = simulate_setting(context, setting, simulation);
  const std::vector<std::string> names = coverage_policies(setting);
  std::vector<std::string> specifications = names;
  for (std::string& name : specifications) {
    if (name == kStudyPolicies[0]) name = fmt::format("random-weights:{}", simulation);
  }
  const auto policies = resolve_policies(context, data.observed, specifications);
  const EvaluationRecord record = evaluate(context, data, policies, coverage_evaluation());
  if (!record.unfinished.empty()) throw Cancelled();
  Json result = {{"policies", Json::object()},
                 {"joint", record.decision ? describe_decision(*record.decision) : Json()}};
  for (std::size_t p = 0; p < policies.size(); ++p) {
    const PolicyResult& evaluated = record.policies[p];
    Json part = {{"truth", json_number(evaluated.truth.value())}, {"rows", Json::object()}};
    for (const Estimate& estimate : evaluated.estimates) {
      if (estimate.estimator == "naive") {
        part["naive"] = json_number(estimate.value);
      } else {
        part["rows"][estimate.estimator] = describe_row(estimate);
      }
    }
    result["policies"][names[p]] = std::move(part);
  }
  return result;
}

bool is_coverage(const Json& result, std::span<const std::string> policies) {
  if (!result.is_object() || !result.contains("policies") || !result.contains("joint"))
    return false;
  if (!is_decision(result.at("joint"))) return false;
  return std::ranges::all_of(policies, [&](const std::string& policy) {
    const auto part = result.at("policies").find(policy);
    return part != result.at("policies").end() && part->is_object() && part->contains("truth") &&
           part->contains("naive") && part->contains("rows");
  });
}

}  // namespace

std::vector<std::string> coverage_policies(const ValueSetting& setting) {
  const std::size_t arms = is_self_contained(setting.outcome.world)
                               ? num_arms(setting.outcome.world)
                               : static_cast<std::size_t>(setting.outcome.arms);
  std::vector<std::string> policies(kStudyPolicies.begin(), kStudyPolicies.end());
  if (arms == 2) return policies;
  policies.clear();
  for (std::size_t a = 0; a < arms; ++a) policies.push_back(fmt::format("always:{}", a));
  return policies;
}

Unit coverage_unit(const ValueSetting& setting, std::uint64_t simulation) {
  constexpr std::uint64_t kSeedsPerSimulation = 100'000;  // as in table 2
  Unit unit{.identity = {.kind = "coverage",
                         .options = {{"setting", setting.name},
                                     {"group", "intervals"},
                                     {"outcome", option_json(setting.outcome)},
                                     {"simulation", simulation},
                                     {"simulation_seed", setting.seed},
                                     {"evaluation", option_json(coverage_evaluation())}},
                         .seed = setting.seed + kSeedsPerSimulation * simulation,
                         .data_checksum = setting.network_checksum()}};
  unit.run = [=](const Context& context) {
    return evaluate_coverage(context, setting, simulation);
  };
  unit.accepts = [policies = coverage_policies(setting)](const Json& result) {
    return is_coverage(result, policies);
  };
  return unit;
}

}  // namespace cone

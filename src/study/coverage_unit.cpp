#include "study/coverage_unit.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/policy.hpp"

#include "options/json_number.hpp"
#include "options/option_json.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

EvaluateOptions coverage_evaluation() {
  EvaluateOptions options;
  options.estimators = {"naive"};
  options.estimators.insert(options.estimators.end(), kCoverageRows.begin(), kCoverageRows.end());
  return options;
}

Json describe_row(const Estimate& estimate) {
  Json row = {{"value", json_number(estimate.value)},
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

Json describe_comparison(const EvaluationRecord& record) {
  if (!record.decision) return nullptr;
  const Decision& decision = *record.decision;
  bool all_hold = true;
  double best = -std::numeric_limits<double>::infinity();
  for (const PolicyResult& policy : record.policies) best = std::max(best, policy.truth.value());
  bool best_in_set = false;
  for (const DecidedPolicy& policy : decision.policies) {
    if (policy.is_logged) continue;
    const auto found = std::ranges::find(record.policies, policy.name, &PolicyResult::name);
    const double truth = found->truth.value();
    if (!policy.band) return nullptr;
    all_hold = all_hold && policy.band->first <= truth && truth <= policy.band->second;
    best_in_set = best_in_set || (truth == best && policy.may_be_best);
  }
  return {{"all_bands_hold", all_hold}, {"best_in_set", best_in_set}};
}

Json evaluate_coverage(const Context& context, const ValueSetting& setting,
                       std::uint64_t simulation) {
  const LoadedData data = simulate_data(context.with_seed(setting.seed), setting.network->network,
                                        setting.outcome, simulation)
                              .data;
  const std::vector<std::string> names = {fmt::format("random-weights:{}", simulation), "treat-all",
                                          "treat-none"};
  const auto policies = resolve_policies(context, data.observed, names);
  const EvaluationRecord record = evaluate(context, data, policies, coverage_evaluation());
  if (!record.unfinished.empty()) throw Cancelled();
  Json result = {{"policies", Json::object()}, {"joint", describe_comparison(record)}};
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
    result["policies"][std::string(kStudyPolicies[p])] = std::move(part);
  }
  return result;
}

bool is_coverage(const Json& result) {
  if (!result.is_object() || !result.contains("policies") || !result.contains("joint"))
    return false;
  return std::ranges::all_of(kStudyPolicies, [&](std::string_view policy) {
    const auto part = result.at("policies").find(std::string(policy));
    return part != result.at("policies").end() && part->is_object() && part->contains("truth") &&
           part->contains("naive") && part->contains("rows");
  });
}

}  // namespace

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
                         .data_checksum = setting.network->checksum}};
  unit.run = [=](const Context& context) {
    return evaluate_coverage(context, setting, simulation);
  };
  unit.accepts = is_coverage;
  return unit;
}

}  // namespace cone

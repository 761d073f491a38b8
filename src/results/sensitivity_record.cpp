#include <utility>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/output.hpp"

#include "options/json_number.hpp"

namespace cone {
namespace {

using SensitivityJson = nlohmann::ordered_json;

template <class Numbers>
SensitivityJson number_array(const Numbers& numbers) {
  SensitivityJson json = SensitivityJson::array();
  for (const double number : numbers) json.push_back(json_number(number));
  return json;
}

SensitivityJson curve_json(const PolicySensitivity& policy) {
  SensitivityJson json;
  const auto add = [&](const char* name, const auto& field) {
    std::vector<double> values;
    for (const MarginalBounds& at : policy.curve) values.push_back(field(at));
    json[name] = number_array(values);
  };
  add("lambda", [](const MarginalBounds& at) { return at.lambda; });
  add("lower", [](const MarginalBounds& at) { return at.lower.value; });
  add("upper", [](const MarginalBounds& at) { return at.upper.value; });
  add("lower_standard_error", [](const MarginalBounds& at) { return at.lower.standard_error; });
  add("upper_standard_error", [](const MarginalBounds& at) { return at.upper.standard_error; });
  add("lower_population_standard_error",
      [](const MarginalBounds& at) { return at.lower.population_standard_error; });
  add("upper_population_standard_error",
      [](const MarginalBounds& at) { return at.upper.population_standard_error; });
  json["breakdown"] = json_number(policy.breakdown.lambda);
  json["breakdown_with_confidence"] = json_number(policy.breakdown.confident);
  return json;
}

SensitivityJson benchmark_json(const SensitivityReport& report, const PolicySensitivity& policy,
                               const Benchmark& b) {
  return {{"name", b.name},
          {"outcome_r2_with", json_number(b.outcome_r2_long)},
          {"outcome_r2_without", json_number(b.outcome_r2_short)},
          {"treatment_r2_with", json_number(b.treatment_r2_long)},
          {"treatment_r2_without", json_number(b.treatment_r2_short)},
          {"treatment_gain_is_clear", b.treatment_gain_is_clear},
          {"cf_y", json_number(b.cf_y)},
          {"cf_d", json_number(b.cf_d)},
          {"nu2_gain", json_number(b.nu2_gain)},
          {"converted_gain", json_number(b.converted_gain)},
          {"bias", json_number(b.bias)},
          {"shift", json_number(b.shift)},
          {"times_to_explain_away", json_number(times_to_explain_away(report, policy, b))}};
}

SensitivityJson omitted_variable_json(const SensitivityReport& report,
                                      const PolicySensitivity& policy) {
  SensitivityJson contour = SensitivityJson::array();
  for (std::size_t i = 0; i < policy.contour.rows(); ++i) {
    contour.push_back(number_array(policy.contour.row(i)));
  }
  SensitivityJson json = {
      {"scale", json_number(policy.scale)},
      {"scale_by_arm", json_number(policy.scale_by_arm)},
      {"sigma2", json_number(policy.sigma2)},
      {"nu2", json_number(policy.nu2)},
      {"robustness_value", json_number(policy.robustness)},
      {"robustness_value_with_confidence", json_number(policy.confident_robustness)},
      {"contour",
       {{"strengths", number_array(policy.contour_strengths)}, {"bound", std::move(contour)}}},
      {"benchmarks", SensitivityJson::array()}};
  for (const Benchmark& benchmark : policy.benchmarks) {
    json["benchmarks"].push_back(benchmark_json(report, policy, benchmark));
  }
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const SensitivityRequest& request) {
  nlohmann::ordered_json config = option_json(request.options);
  config["policies"] = request.policies;
  config["against"] = request.against;
  config["seed"] = request.seed;
  config["data"] = request.data;
  config.update(option_json(request.table));
  return config;
}

nlohmann::ordered_json to_json(const SensitivityReport& report, nlohmann::ordered_json config,
                               std::string_view data_checksum) {
  if (config.contains("propensity_bound") && !config["propensity_bound"].is_number()) {
    config["automatic"] = {{"propensity_bound", report.propensity_bounds}};
  }
  SensitivityJson json = {{"schema", std::string(kSensitivitySchema)},
                          {"version", std::string(kVersion)},
                          {"revision", std::string(source_revision())},
                          {"commit", std::string(build_commit())},
                          {"config", std::move(config)},
                          {"data",
                           {{"num_nodes", report.num_nodes},
                            {"num_edges", report.num_edges},
                            {"arms", report.arms},
                            {"checksum", std::string(data_checksum)}}},
                          {"target", "sample"},
                          {"reference", std::string(enum_name(report.reference))},
                          {"threshold", json_number(report.threshold)},
                          {"outcome", json_text(report.outcome)},
                          {"lower_is_better", report.lower_is_better},
                          {"level", report.level},
                          {"observed_mean", json_number(report.observed_mean)},
                          {"outcome_is_binary", report.outcome_is_binary},
                          {"propensity_sees_network", report.propensity_sees_network},
                          {"outcome_r2", json_number(report.outcome_r2)},
                          {"treatment_r2", json_number(report.treatment_r2)},
                          {"policies", SensitivityJson::array()}};
  for (const PolicySensitivity& policy : report.policies) {
    SensitivityJson entry = {
        {"name", policy.policy},
        {"network_ridge_value", json_number(policy.ridge_value)},
        {"value", json_number(policy.value)},
        {"standard_error", json_number(policy.standard_error)},
        {"population_standard_error", json_number(policy.population_standard_error)},
        {"error_factor", json_number(policy.error_factor)},
        {"sampling_interval",
         {json_number(policy.sampling_interval.first),
          json_number(policy.sampling_interval.second)}},
        {"marginal", curve_json(policy)},
        {"omitted_variable", omitted_variable_json(report, policy)},
        {"sentences", sensitivity_sentences(report, policy)}};
    if (!policy.against.empty()) entry["against"] = policy.against;
    json["policies"].push_back(std::move(entry));
  }
  json["warnings"] = report.warnings;
  return json;
}

}  // namespace cone

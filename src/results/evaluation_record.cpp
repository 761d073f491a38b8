#include "cone/json.hpp"
#include "cone/output.hpp"
#include "cone/record.hpp"

#include "base/hash.hpp"
#include "options/json_number.hpp"
#include "results/decision_record.hpp"
#include "results/diagnostics_record.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

Json dependent_errors_json(const std::vector<DependentError>& errors) {
  Json json = Json::array();
  for (const DependentError& error : errors) {
    json.push_back({{"dependence", std::string(enum_name(error.dependence))},
                    {"standard_error", json_number(error.standard_error)},
                    {"noise", json_number(error.noise)},
                    {"unusable", error.unusable}});
  }
  return json;
}

Json ends_json(std::pair<double, double> interval) {
  return {json_number(interval.first), json_number(interval.second)};
}

Json smoothing_bias_json(const std::optional<SmoothingBias>& found) {
  if (!found) return nullptr;
  return {{"bias", json_number(found->bias)},
          {"standard_error", json_number(found->standard_error)}};
}

/// The value by the joint model, without and with noise that treatment depends on.
Json joint_values_json(const Estimate& e) {
  if (e.joint.empty()) return nullptr;
  Json json = Json::array();
  for (const AlternativeValue& other : e.joint) {
    json.push_back({{"value", json_number(e.value + other.shift)},
                    {"standard_error", json_number(other.error_with(e.standard_error))}});
  }
  return json;
}

Json estimate_json(const Estimate& e) {
  return {{"estimator", e.estimator},
          {"value", json_number(e.value)},
          {"standard_error", json_number(e.standard_error)},
          {"interval", ends_json(e.interval())},
          {"sampling_interval", ends_json(e.sampling_interval)},
          {"smoothing_bias", smoothing_bias_json(e.smoothing_bias)},
          {"joint_values", joint_values_json(e)},
          {"degrees_of_freedom", json_number(e.degrees_of_freedom)},
          {"target", std::string(enum_name(e.target))},
          {"level", e.level},
          {"population_standard_error", json_number(e.population_standard_error)},
          {"population_interval", ends_json(e.population_interval())},
          {"population_sampling_interval", ends_json(e.population_sampling_interval)},
          {"sample_standard_error", json_number(e.sample_standard_error)},
          {"sample_interval", ends_json(e.sample_interval())},
          {"sample_sampling_interval", ends_json(e.sample_sampling_interval)},
          {"sensitivity_interval", ends_json(e.sensitivity_interval)},
          {"confounding_bias_bound",
           e.confounding_bias_bound ? json_number(e.confounding_bias_bound->largest()) : Json()},
          {"dependence", std::string(enum_name(e.dependence))},
          {"standard_errors", dependent_errors_json(e.errors_by_dependence)},
          {"effective_sample_size", json_number(e.effective_sample_size)},
          {"max_weight", json_number(e.max_weight)},
          {"clipped_fraction", json_number(e.clipped_fraction)},
          {"mean_weight", json_number(e.mean_weight)},
          {"off_support_fraction", json_number(e.off_support_fraction)},
          {"status", std::string(enum_name(e.status))},
          {"warnings", e.warnings}};
}

Json policy_json(const PolicyResult& policy) {
  Json json = {{"name", policy.name},
               {"checksum", policy.checksum},
               {"treated_fraction", json_number(policy.treated_fraction)},
               {"arm_fractions", Json::array()}};
  for (const double share : policy.arm_fractions) {
    json["arm_fractions"].push_back(json_number(share));
  }
  if (policy.truth) json["truth"] = json_number(*policy.truth);
  json["estimates"] = Json::array();
  for (const Estimate& e : policy.estimates) {
    json["estimates"].push_back(estimate_json(e));
    if (e.seed_sd) json["estimates"].back()["seed_sd"] = json_number(*e.seed_sd);
  }
  return json;
}

}  // namespace

std::string EvaluationRecord::run_id() const {
  Json identity = config;
  // Paths are not part of the identity; checksums stand for the contents.
  for (const char* path : {"data", "data_in_memory", "policy_arguments", "model_file"}) {
    identity.erase(path);
  }
  Checksum checksum;
  checksum.add(dump_json(identity, -1)).add(data.checksum).add(version).add(revision);
  for (const PolicyResult& policy : policies) checksum.add(policy.checksum);
  return checksum.hex();
}

Json to_json(const EvaluationRecord& record) {
  Json json = {{"schema", std::string(kEvaluationSchema)},
               {"version", record.version},
               {"revision", record.revision},
               {"commit", record.commit},
               {"run_id", record.run_id()},
               {"config", record.config},
               {"data",
                {{"num_nodes", record.data.num_nodes},
                 {"num_edges", record.data.num_edges},
                 {"num_features", record.data.num_features},
                 {"num_numeric_features", record.data.num_numeric_features},
                 {"num_treated", record.data.num_treated},
                 {"arms", Json::array()},
                 {"checksum", record.data.checksum}}}};
  for (const ArmSummary& arm : record.data.arms) {
    json["data"]["arms"].push_back({{"label", arm.label}, {"num_nodes", arm.num_nodes}});
  }
  if (record.data.effective_sample_size) {
    json["data"]["weights"] = {
        {"effective_sample_size", json_number(*record.data.effective_sample_size)}};
  }
  if (record.data.num_clusters > 0) {
    json["data"]["clusters"] = {{"count", record.data.num_clusters}};
  }
  json["status"] = record.status;
  json["repeats"] = record.repeats;
  json["unfinished"] = record.unfinished;
  json["policies"] = Json::array();
  for (const PolicyResult& policy : record.policies)
    json["policies"].push_back(policy_json(policy));
  if (record.decision) json["decision"] = decision_json(*record.decision);
  if (!record.budget_curves.empty()) {
    json["budget_curves"] = budget_curves_json(record.budget_curves);
  }
  json["diagnostics"] = diagnostics_json(record.diagnostics, record.notes);
  json["timing_seconds"] = record.timing_seconds;
  return json;
}

}  // namespace cone

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/output.hpp"

#include "base/numeric.hpp"
#include "options/json_number.hpp"

namespace cone {
namespace {

using PolicyJson = nlohmann::ordered_json;

PolicyJson interval_json(const std::pair<double, double>& interval) {
  return {json_number(interval.first), json_number(interval.second)};
}

PolicyJson value_json(const RuleValue& value) {
  return {{"name", value.name},
          {"value", json_number(value.value)},
          {"standard_error", json_number(value.standard_error)},
          {"sampling_interval", interval_json(value.sampling_interval)},
          {"gain", json_number(value.gain)},
          {"gain_standard_error", json_number(value.gain_error)},
          {"sampling_gain_interval", interval_json(value.sampling_gain_interval)},
          {"treated_fraction", json_number(value.treated_fraction)},
          {"within_budget", value.within_budget}};
}

PolicyJson comparison_json(const LearntPolicy& policy, const RuleValue& value,
                           const LearnPolicyOptions& options) {
  PolicyJson json = value_json(value);
  json["sensitivity_gain_interval"] =
      interval_json(value.sensitivity_gain_interval.value_or(std::pair(kNaN, kNaN)));
  json["overturning_strength"] = json_number(value.overturning_strength);
  json["verdict"] = std::string(enum_name(value.verdict));
  json["unreliable"] = json_text(value.unreliable);
  json["sentence"] = gain_sentence(policy, value, options);
  return json;
}

/// Nested, as trees are usually drawn.
PolicyJson tree_json(const PolicyTree& tree, std::span<const std::string> columns,
                     std::span<const std::string> arms, std::size_t at = 0) {
  const RuleNode& node = tree.nodes[at];
  if (node.is_leaf()) return {{"arm", arms[node.arm]}, {"num_nodes", node.num_nodes}};
  return {{"column", columns[static_cast<std::size_t>(node.column)]},
          {"threshold", json_number(node.threshold)},
          {"below", json_number(node.below)},
          {"above", json_number(node.above)},
          {"num_nodes", node.num_nodes},
          {"yes", tree_json(tree, columns, arms, static_cast<std::size_t>(node.left))},
          {"no", tree_json(tree, columns, arms, static_cast<std::size_t>(node.right))}};
}

}  // namespace

nlohmann::ordered_json learnt_policy_json(const Dataset& data, const LearntPolicy& policy,
                                          const LearnPolicyOptions& options, std::uint64_t seed) {
  PolicyJson json = {{"schema", std::string(kPolicySchema)},
                     {"version", std::string(kVersion)},
                     {"revision", std::string(source_revision())},
                     {"commit", std::string(build_commit())}};
  json["config"] = option_json(options);
  if (options.propensities == PropensitySource::kFitted && !options.nuisance.propensity_bound) {
    json["config"]["automatic"] = {{"propensity_bound", choose_propensity_bounds(data, {}).low}};
  }
  json["config"]["seed"] = seed;
  json["data"] = {{"num_nodes", data.num_nodes()},
                  {"num_edges", data.graph.num_edges()},
                  {"num_features", data.features.matrix.cols()},
                  {"arms", data.arms},
                  {"checksum", data.checksum()}};
  json["outcome"] = json_text(policy.outcome);
  json["lower_is_better"] = options.direction.prefers_lower();
  json["costs"] = PolicyJson::object();
  for (const ArmCost& arm : policy.costs) json["costs"][arm.label] = json_number(arm.cost);
  for (const ArmCost& arm : policy.costs) {
    if (!arm.column.empty()) json["cost_columns"][arm.label] = arm.column;
  }
  json["num_candidate_columns"] = policy.num_candidates;
  json["columns"] = policy.columns;
  json["tree"] = tree_json(policy.tree, policy.columns, policy.arms);
  json["treated_fraction"] = json_number(policy.treated_fraction);
  json["price"] = json_number(policy.price);
  json["in_sample_value"] = json_number(policy.in_sample_value);
  json["randomised"] = policy.is_randomised;
  json["verdict"] = std::string(enum_name(policy.verdict));
  json["summary"] = rule_summary(policy, options);
  json["rule"] = value_json(policy.rule);
  json["comparisons"] = PolicyJson::array();
  const auto compare = [&](const RuleValue& other) {
    json["comparisons"].push_back(comparison_json(policy, other, options));
  };
  compare(policy.logged);
  compare(policy.best_single);
  for (const RuleValue& single : policy.singles) compare(single);
  json["fold_trees"] = PolicyJson::array();
  for (const FoldRule& fold : policy.folds) {
    json["fold_trees"].push_back(tree_json(fold.tree, fold.columns, policy.arms));
  }
  json["warnings"] = policy.warnings;
  return json;
}

}  // namespace cone

#include "cone/json.hpp"

#include "results/policy_fields.hpp"

namespace cone {

nlohmann::ordered_json LearntPolicyRecord::config() const {
  nlohmann::ordered_json json = option_json(options);
  if (options.propensities == PropensitySource::kFitted && !options.nuisance.propensity_bound) {
    json["automatic"] = {{"propensity_bound", choose_propensity_bounds(data, {}).low}};
  }
  json["seed"] = seed;
  return json;
}

std::vector<const RuleValue*> LearntPolicyRecord::alternatives() const {
  std::vector<const RuleValue*> found = {&policy.logged, &policy.best_single};
  for (const RuleValue& single : policy.singles) found.push_back(&single);
  return found;
}

nlohmann::ordered_json tree_json(const PolicyTree& tree, const std::vector<std::string>& columns,
                                 const std::vector<std::string>& arms, std::size_t at) {
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

nlohmann::ordered_json learnt_policy_json(const Dataset& data, const LearntPolicy& policy,
                                          const LearnPolicyOptions& options, std::uint64_t seed) {
  return record_json(LearntPolicyRecord{data, policy, options, seed});
}

}  // namespace cone

#include "results/decision_record.hpp"

#include "options/json_number.hpp"
#include "results/decision_text.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

Json range_json(const std::optional<std::pair<double, double>>& range) {
  if (!range) return {nullptr, nullptr};
  return {json_number(range->first), json_number(range->second)};
}

Json ranks_json(const std::optional<std::pair<std::size_t, std::size_t>>& ranks) {
  if (!ranks) return {nullptr, nullptr};
  return {ranks->first, ranks->second};
}

}  // namespace

Json decision_json(const Decision& decision) {
  Json json = {{"estimator", decision.estimator},
               {"target", std::string(enum_name(decision.target))},
               {"dependence", std::string(enum_name(decision.dependence))},
               {"design_effect", json_number(decision.design_effect)},
               {"level", decision.level},
               {"randomised", decision.is_randomised},
               {"outcome", json_text(decision.outcome)},
               {"lower_is_better", decision.lower_is_better},
               {"summary", best_sentence(decision)},
               {"effect", nullptr},
               {"single_best", decision.single_best ? Json(*decision.single_best) : Json()},
               {"costs", Json::object()},
               {"policies", Json::array()},
               {"differences", Json::array()}};
  for (const ArmCost& arm : decision.costs) {
    json["costs"][arm.label] = arm.cost;
    if (!arm.column.empty()) json["cost_columns"][arm.label] = arm.column;
  }
  if (decision.costs.empty()) json.erase("costs");
  for (const DecidedPolicy& p : decision.policies) {
    Json policy = {{"name", p.name},
                   {"is_logged", p.is_logged},
                   {"value", json_number(p.value)},
                   {"interval", range_json(p.interval)},
                   {"sampling_interval", range_json(p.sampling_interval)},
                   {"other_target_interval", range_json(p.other_target_interval)},
                   {"joint_value", json_number(p.joint_value)},
                   {"sensitivity_interval", range_json(p.sensitivity_interval)},
                   {"joint_interval", range_json(p.joint_interval)},
                   {"sampling_joint_interval", range_json(p.band)}};
    if (p.cost) {
      policy["cost"] = json_number(p.cost);
      policy["net_value"] = json_number(p.value - cost_shift(p, decision));
      policy["net_interval"] = range_json(p.net_interval);
      policy["net_sampling_interval"] = range_json(p.net_sampling_interval);
      policy["net_sensitivity_interval"] = range_json(p.net_sensitivity_interval);
      policy["net_joint_interval"] = range_json(p.net_joint_interval);
      policy["net_sampling_joint_interval"] = range_json(p.net_band);
    }
    if (!p.is_logged) {
      policy["gain"] = json_number(p.gain);
      policy["gain_interval"] = range_json(p.gain_interval);
      policy["sampling_gain_interval"] = range_json(p.sampling_gain_interval);
      policy["sensitivity_gain_interval"] = range_json(p.sensitivity_gain_interval);
      policy["gain_p"] = json_number(p.gain_p);
      policy["overturning_strength"] = json_number(p.overturning_strength);
      policy["verdict"] = std::string(enum_name(p.verdict));
      policy["unreliable"] = p.unreliable.empty() ? Json() : Json(p.unreliable);
      policy["sentence"] = decision_sentence(p, decision);
    }
    policy["ranks"] = ranks_json(p.ranks);
    policy["may_be_best"] = p.may_be_best;
    policy["sensitivity_ranks"] = ranks_json(p.sensitivity_ranks);
    policy["sensitivity_may_be_best"] = p.sensitivity_may_be_best;
    policy["regret"] = json_number(p.regret);
    json["policies"].push_back(std::move(policy));
  }
  for (const PolicyDifference& d : decision.differences) {
    json["differences"].push_back(
        {{"first", decision.policies[d.first].name},
         {"second", decision.policies[d.second].name},
         {"difference", json_number(d.difference)},
         {"standard_error", json_number(d.standard_error)},
         {"interval", range_json(d.interval)},
         {"joint_interval", range_json(d.joint_interval)},
         {"sampling_interval", range_json(d.sampling_interval)},
         {"sampling_joint_interval", range_json(d.sampling_joint_interval)},
         {"p", json_number(d.p)},
         {"sensitivity_interval", range_json(d.sensitivity_interval)},
         {"sensitivity_joint_interval", range_json(d.sensitivity_joint_interval)},
         {"verdict", std::string(enum_name(d.verdict))}});
  }
  if (const PolicyDifference* effect = find_effect(decision)) {
    json["effect"] = {{"verdict", std::string(enum_name(effect->verdict))},
                      {"sentence", effect_sentence(decision)}};
  }
  if (decision.num_pairs_left_out > 0) {
    json["num_differences_left_out"] = decision.num_pairs_left_out;
  }
  return json;
}

}  // namespace cone

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

#include "base/readable_number.hpp"
#include "data/outcome_direction.hpp"
#include "results/decision_text.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

std::string value_text(double value) { return std::isfinite(value) ? readable_number(value) : "-"; }

std::string range_text(const std::pair<double, double>& interval) {
  if (!std::isfinite(interval.first)) return "-";
  return fmt::format("{} to {}", readable_number(interval.first), readable_number(interval.second));
}

void add_node_text(const LearntPolicy& policy, std::size_t at, const std::string& indent,
                   std::string& text) {
  const RuleNode& node = policy.tree.nodes[at];
  if (node.is_leaf()) {
    const double share = static_cast<double>(node.num_nodes) /
                         static_cast<double>(policy.tree.nodes.front().num_nodes);
    text += fmt::format("assign {} ({} nodes, {})\n", printable(policy.arms[node.arm]),
                        grouped(node.num_nodes), share_in_percent(share));
    return;
  }
  text +=
      fmt::format("{} <= {}?\n", printable(policy.columns[static_cast<std::size_t>(node.column)]),
                  threshold_text(node));
  text += indent + "  yes: ";
  add_node_text(policy, static_cast<std::size_t>(node.left), indent + "  ", text);
  text += indent + "  no:  ";
  add_node_text(policy, static_cast<std::size_t>(node.right), indent + "  ", text);
}

std::string values_table(const LearntPolicy& policy, double level) {
  const std::string interval = sentence("{:g} % CI", 100 * level);
  TextTable table({{"alternative", TextTable::Align::kLeft},
                   {"value"},
                   {"std. error"},
                   {interval},
                   {"gain of the rule"},
                   {interval + " of the gain"},
                   {"sensitivity interval"},
                   {"treated"}});
  const auto add = [&](const RuleValue& value, bool is_rule) {
    table.add_row({value.name + (value.within_budget ? "" : " (over budget)"),
                   value_text(value.value), value_text(value.standard_error),
                   range_text(value.sampling_interval), is_rule ? "" : value_text(value.gain),
                   is_rule ? "" : range_text(value.sampling_gain_interval),
                   value.sensitivity_gain_interval ? range_text(*value.sensitivity_gain_interval)
                                                   : std::string(is_rule ? "" : "-"),
                   share_in_percent(value.treated_fraction)});
  };
  add(policy.rule, true);
  add(policy.logged, false);
  add(policy.best_single, false);
  for (const RuleValue& single : policy.singles) add(single, false);
  return table.to_string();
}

/// The single arm within the budget with the best value.
const RuleValue& strongest_single(const LearntPolicy& policy, bool lower_is_better) {
  const double sign = direction_sign(lower_is_better);
  const RuleValue* best = &policy.singles.front();
  for (const RuleValue& single : policy.singles) {
    if (single.within_budget && sign * single.value > sign * best->value) best = &single;
  }
  return *best;
}

bool has_costs(const LearntPolicy& policy) {
  return std::ranges::any_of(
      policy.costs, [](const ArmCost& arm) { return arm.cost != 0 || !arm.column.empty(); });
}

/// The options of a comparison, for sentences as those of an evaluation.
Decision comparison_of(const LearntPolicy& policy, const LearnPolicyOptions& options) {
  return {.level = options.level,
          .strength_is_clear = policy.strength_is_clear,
          .is_randomised = policy.is_randomised,
          .lower_is_better = options.direction.prefers_lower()};
}

std::string cost_text(const LearntPolicy& policy, bool lower_is_better) {
  std::vector<std::string> parts;
  for (const ArmCost& arm : policy.costs) {
    if (arm.cost == 0 && arm.column.empty()) continue;
    parts.push_back(fmt::format("{} costs {}", printable(arm.label), arm_cost_text(arm)));
  }
  if (parts.empty()) return "";
  return fmt::format("Values {} costs: {}.\n", lower_is_better ? "include" : "are net of",
                     fmt::join(parts, ", "));
}

std::string budget_text(const LearntPolicy& policy, double budget) {
  if (budget >= 1) return "";
  return fmt::format(
      "Budget {}: the rule treats {} of the nodes; out of fold, the trees treat {}.{}\n",
      share_in_percent(budget), share_in_percent(policy.treated_fraction),
      share_in_percent(policy.rule.treated_fraction),
      policy.price > 0
          ? fmt::format(" A larger budget pays where treating one more unit costs less than {}.",
                        readable_number(policy.price))
          : " The budget does not bind.");
}

}  // namespace

std::string threshold_text(const RuleNode& node) {
  constexpr int kFewestDigits = 4;
  constexpr int kAllDigits = 17;
  const auto decides_alike = [&](const std::string& text) {
    const double value = std::strtod(text.c_str(), nullptr);
    return value >= node.below && value < node.above;
  };
  std::string text = readable_number(node.threshold);
  for (int digits = kFewestDigits; digits <= kAllDigits && !decides_alike(text); ++digits) {
    text = sentence("{:.{}g}", node.threshold, digits);
  }
  return text;
}

std::string gain_sentence(const LearntPolicy& policy, const RuleValue& other,
                          const LearnPolicyOptions& options) {
  DecidedPolicy rule{.name = policy.rule.name,
                     .value = policy.rule.value,
                     .gain = other.gain,
                     .sensitivity_gain_interval = other.sensitivity_gain_interval,
                     .overturning_strength = other.overturning_strength,
                     .verdict = other.verdict,
                     .unreliable = other.unreliable};
  if (has_costs(policy)) rule.cost = 0;  // values are after costs already
  if (std::isfinite(other.gain_error)) rule.gain_interval = other.sampling_gain_interval;
  const std::string name = &other == &policy.logged        ? "the logged policy"
                           : &other == &policy.best_single ? "the best single arm"
                                                           : other.name;
  return decision_sentence(rule, comparison_of(policy, options), name);
}

std::string rule_summary(const LearntPolicy& policy, const LearnPolicyOptions& options) {
  const auto condition = [](bool is_supported) {
    return is_supported ? "" : ", conditional on no unmeasured confounding";
  };
  const bool lower_is_better = options.direction.prefers_lower();
  const auto is_supported = [](const RuleValue& single) {
    return !single.within_budget || single.verdict == ComparisonVerdict::kSupported;
  };
  const auto is_surely_better = [&](const RuleValue& single) {
    return single.within_budget && single.verdict == ComparisonVerdict::kSupported &&
           (single.gain > 0) == lower_is_better;
  };
  switch (policy.verdict) {
    case RuleVerdict::kSingleArm:
      return fmt::format(
          "No split improves the value: the best tree assigns arm {} to every unit. The values "
          "above are those of the cross-fitted trees.",
          printable(policy.arms[policy.tree.nodes.front().arm]));
    case RuleVerdict::kBetter:
      return fmt::format("The learnt rule is better than any single arm{}.",
                         condition(std::ranges::all_of(policy.singles, is_supported)));
    case RuleVerdict::kWorse:
      return fmt::format("The learnt rule is WORSE than a single arm{}: do not use it.",
                         condition(std::ranges::any_of(policy.singles, is_surely_better)));
    case RuleVerdict::kUnclear:
      break;
  }
  return "The learnt rule is not shown to be better than a single arm, which may do as well.";
}

std::string rule_text(const LearntPolicy& policy) {
  std::string text;
  add_node_text(policy, 0, "", text);
  return text;
}

std::string learnt_policy_text(const LearntPolicy& policy, const LearnPolicyOptions& options) {
  const bool lower_is_better = options.direction.prefers_lower();
  std::string text = fmt::format(
      "Rule ({}), learnt from all {} nodes ({} of {} columns were considered)\n\n{}\n",
      direction_text(policy.outcome, lower_is_better), grouped(policy.arm.size()),
      grouped(policy.columns.size()), grouped(policy.num_candidates), rule_text(policy));
  text += fmt::format(
      "Value of the rule by cross-fitting: the tree that decides for a node was learnt without its "
      "fold\n{}\n",
      values_table(policy, options.level));
  text += cost_text(policy, lower_is_better) + budget_text(policy, options.tree.budget);
  text += rule_summary(policy, options) + '\n';
  if (policy.verdict != RuleVerdict::kSingleArm) {
    text += gain_sentence(policy, strongest_single(policy, lower_is_better), options) + '\n';
  }
  text += gain_sentence(policy, policy.logged, options) + '\n';
  if (policy.verdict != RuleVerdict::kSingleArm) {
    text +=
        fmt::format("In-sample value of the rule: {}. It is biased {}; do not report it.\n",
                    value_text(policy.in_sample_value), lower_is_better ? "downwards" : "upwards");
  }
  text += fmt::format(
      "Values are means of doubly robust scores, and intervals are for the population, "
      "{}; cone evaluate reports network_dm, whose figures differ.\n",
      options.dependence == Dependence::kIndependent
          ? "with independent errors"
          : "and allow for correlated errors of neighbours");
  for (const std::string& warning : policy.warnings) text += "! " + warning + "\n";
  return text;
}

}  // namespace cone

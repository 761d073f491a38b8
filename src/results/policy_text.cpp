#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "base/readable_number.hpp"
#include "base/sentence.hpp"
#include "base/text.hpp"
#include "results/policy_output.hpp"
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
    text += fmt::format("give {} ({} nodes, {})\n", printable(policy.arms[node.arm]),
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
  const std::string interval = sentence("{:g} % interval", 100 * level);
  TextTable table({{"way to decide", TextTable::Align::kLeft},
                   {"value"},
                   {"std. error"},
                   {interval},
                   {"rule gains"},
                   {interval},
                   {"treated"}});
  const auto add = [&](const RuleValue& value, bool is_rule) {
    table.add_row({value.name + (value.within_budget ? "" : " (beyond the budget)"),
                   value_text(value.value), value_text(value.standard_error),
                   range_text(value.sampling_interval), is_rule ? "" : value_text(value.gain),
                   is_rule ? "" : range_text(value.sampling_gain_interval),
                   share_in_percent(value.treated_fraction)});
  };
  add(policy.rule, true);
  add(policy.done, false);
  add(policy.best_single, false);
  for (const RuleValue& single : policy.singles) add(single, false);
  return table.to_string();
}

/// The single arm within the budget that is worth most.
const RuleValue& strongest_single(const LearntPolicy& policy) {
  const RuleValue* best = &policy.singles.front();
  for (const RuleValue& single : policy.singles) {
    if (single.within_budget && single.value > best->value) best = &single;
  }
  return *best;
}

std::string gain_text(const RuleValue& value) {
  return fmt::format("{} ({})", value_text(value.gain),
                     std::isfinite(value.gain_error) ? range_text(value.sampling_gain_interval)
                                                     : std::string("no valid interval"));
}

std::string verdict_text(const LearntPolicy& policy) {
  const RuleValue& rival = strongest_single(policy);
  switch (policy.verdict) {
    case RuleVerdict::kSingleArm:
      return fmt::format(
          "No question pays: the best tree gives everyone {}. The values above are those of trees "
          "that were learnt without a fold each.",
          printable(policy.arms[policy.tree.nodes.front().arm]));
    case RuleVerdict::kBetter:
      return fmt::format(
          "The learnt rule is better than giving everyone the same: it gains {} per unit over "
          "\"{}\", the best of those.",
          gain_text(rival), rival.name);
    case RuleVerdict::kWorse:
      return fmt::format(
          "The learnt rule is WORSE than giving everyone the same: it gains {} per unit over "
          "\"{}\". Do not use it.",
          gain_text(rival), rival.name);
    case RuleVerdict::kUnclear:
      break;
  }
  return fmt::format(
      "The learnt rule is not shown to be better than giving everyone the same: it gains {} per "
      "unit over \"{}\". The simpler choice may do as well.",
      gain_text(rival), rival.name);
}

std::string against_done_text(const RuleValue& done) {
  const char* verdict =
      done.sampling_gain_interval.first > 0    ? "It is better than the logged policy"
      : done.sampling_gain_interval.second < 0 ? "It is worse than the logged policy"
                                               : "Against the logged policy nothing is clear";
  return fmt::format("{}: it gains {} per unit.", verdict, gain_text(done));
}

std::string cost_text(const LearntPolicy& policy) {
  std::vector<std::string> parts;
  for (const ArmCost& arm : policy.costs) {
    if (arm.cost == 0 && arm.column.empty()) continue;
    parts.push_back(fmt::format("{} costs {}", printable(arm.label), arm_cost_text(arm)));
  }
  return parts.empty() ? "" : fmt::format("Values are net of costs: {}.\n", fmt::join(parts, ", "));
}

std::string budget_text(const LearntPolicy& policy, double budget) {
  if (budget >= 1) return "";
  return fmt::format(
      "Budget {}: the rule treats {} of the nodes; out of fold the trees treat {}.{}\n",
      share_in_percent(budget), share_in_percent(policy.treated_fraction),
      share_in_percent(policy.rule.treated_fraction),
      policy.price > 0
          ? fmt::format(" It pays to treat more units as long as that costs less than {} each.",
                        readable_number(policy.price))
          : " It would treat no more without the budget.");
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

std::string rule_text(const LearntPolicy& policy) {
  std::string text;
  add_node_text(policy, 0, "", text);
  return text;
}

std::string learnt_policy_text(const LearntPolicy& policy, const LearnPolicyOptions& options) {
  std::string text =
      fmt::format("Rule, learnt from all {} nodes ({} of {} columns were considered)\n\n{}\n",
                  grouped(policy.arm.size()), grouped(policy.columns.size()),
                  grouped(policy.num_candidates), rule_text(policy));
  text += fmt::format(
      "What such a rule is worth: every node is decided by a tree that was learnt without its "
      "fold\n"
      "{}\n",
      values_table(policy, options.level));
  text += cost_text(policy) + budget_text(policy, options.tree.budget);
  text += verdict_text(policy) + "\n" + against_done_text(policy.done) + "\n";
  if (policy.verdict != RuleVerdict::kSingleArm) {
    text += fmt::format(
        "On the nodes it was learnt from the rule seems to be worth {}: too good to be true, not "
        "to "
        "be quoted.\n",
        value_text(policy.in_sample_value));
  }
  text += fmt::format(
      "Intervals are about the population, {}. They assume that what the models see explains "
      "who was treated.\n",
      options.dependence == Dependence::kIndependent
          ? "and take them as independent"
          : "and allow for errors that neighbours share");
  for (const std::string& warning : policy.warnings) text += "! " + warning + "\n";
  return text;
}

}  // namespace cone

#include "results/decision_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/outcome_direction.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

/// The confounding strength of the sensitivity intervals: where what the network adds to the
/// treatment model is not significant, its upper confidence limit stands in for the estimate.
constexpr std::string_view kUpperLimit = "the network's upper confidence limit";

constexpr double kNotableDesignEffect = 1.1;
constexpr double kNotableWidths =
    1.1;  // of the intervals for both targets, the wider over the other
constexpr std::size_t kMostNames = 6;

using Interval = std::pair<double, double>;

/// Decimals that show two digits of the narrowest interval.
int decimals_of(const Decision& decision) {
  double narrowest = 0;
  for (const DecidedPolicy& policy : decision.policies) {
    if (!policy.interval) continue;
    const double width = policy.interval->second - policy.interval->first;
    if (width > 0 && (narrowest == 0 || width < narrowest)) narrowest = width;
  }
  if (narrowest == 0) return 4;
  return std::max(2 - static_cast<int>(std::floor(std::log10(narrowest))), 0);
}

std::string range(const std::optional<Interval>& interval, int decimals) {
  if (!interval) return "-";
  return fmt::format("[{}, {}]", fixed_number(interval->first, decimals),
                     fixed_number(interval->second, decimals));
}

/// Ranks that allow for unmeasured confounding, where its strength is known.
std::string rank_text(const DecidedPolicy& policy) {
  const auto& ranks = policy.sensitivity_ranks ? policy.sensitivity_ranks : policy.ranks;
  if (!ranks) return "-";
  const auto [best, worst] = *ranks;
  return best == worst ? fmt::format("{}", best) : fmt::format("{} to {}", best, worst);
}

/// Three digits.
std::string amount(double value) { return sentence("{:.3g}", std::abs(value)); }

Target other_target(const Decision& decision) {
  return decision.target == Target::kSample ? Target::kPopulation : Target::kSample;
}

/// Whether the table has the intervals for the other target: where they differ notably in width,
/// and for the sample beside a truth, which is that of the sample. Costs are known for the sample
/// only.
bool shows_both_targets(const Decision& decision, bool has_truth) {
  if (!decision.costs.empty() && other_target(decision) == Target::kPopulation) return false;
  const auto differs = [](const DecidedPolicy& policy) {
    if (!policy.interval || !policy.other_target_interval) return false;
    const auto width = [](Interval interval) { return interval.second - interval.first; };
    const double own = width(*policy.interval);
    const double other = width(*policy.other_target_interval);
    return std::max(own, other) > kNotableWidths * std::min(own, other);
  };
  const bool has_other = std::ranges::any_of(decision.policies, [](const DecidedPolicy& policy) {
    return policy.other_target_interval.has_value();
  });
  return (has_truth && has_other && other_target(decision) == Target::kSample) ||
         std::ranges::any_of(decision.policies, differs);
}

TextTable policy_table(const Decision& decision) {
  const bool has_truth = std::any_of(decision.policies.begin(), decision.policies.end(),
                                     [](const DecidedPolicy& p) { return p.truth.has_value(); });
  const int decimals = decimals_of(decision);
  const std::string level = sentence("{:g} %", 100 * decision.level);
  const bool has_costs = !decision.costs.empty();
  std::vector<TextTable::Column> columns = {{"policy", TextTable::Align::kLeft}};
  if (has_costs) columns.push_back({"cost"});
  columns.push_back({has_costs ? "net value" : "value"});
  if (has_truth) columns.push_back({"truth"});
  const bool shows_both = shows_both_targets(decision, has_truth);
  columns.push_back({level + " CI"});
  if (shows_both) {
    columns.push_back({fmt::format("for the {}", enum_name(other_target(decision)))});
  }
  columns.insert(columns.end(),
                 {{"sensitivity interval"}, {"gain"}, {level + " CI of the gain"}, {"rank"}});
  TextTable table(columns);
  for (const DecidedPolicy& policy : decision.policies) {
    const double shift = cost_shift(policy, decision);
    std::vector<std::string> cells = {printable(policy.name)};
    if (has_costs) cells.push_back(fixed_number(policy.cost.value_or(0), decimals));
    cells.push_back(fixed_number(policy.value - shift, decimals));
    if (has_truth)
      cells.push_back(policy.truth ? fixed_number(*policy.truth - shift, decimals) : "-");
    const bool certain = policy.is_logged && decision.target == Target::kSample;
    const auto& interval = has_costs ? policy.net_interval : policy.interval;
    cells.push_back(certain ? "-" : range(interval, decimals));
    if (shows_both) {
      std::optional<Interval> other = policy.other_target_interval;
      if (other) other = Interval{other->first - shift, other->second - shift};
      cells.push_back(range(other, decimals));
    }
    const auto& sensitivity =
        has_costs ? policy.net_sensitivity_interval : policy.sensitivity_interval;
    cells.insert(cells.end(),
                 {range(sensitivity, decimals),
                  policy.is_logged ? "-" : fixed_number(policy.gain, decimals, Sign::kAlways),
                  range(policy.gain_interval, decimals), rank_text(policy)});
    table.add_row(std::move(cells));
  }
  return table;
}

/// "mean outcome", less the mean cost where arms have costs, and which direction is better.
std::string define_value(const Decision& decision) {
  const std::string mean = decision.is_weighted ? "weighted mean" : "mean";
  const std::string direction = direction_text(decision.outcome, decision.lower_is_better);
  if (decision.costs.empty()) return fmt::format("Value: the {} outcome ({})", mean, direction);
  std::vector<std::string> costs;
  for (const ArmCost& arm : decision.costs) {
    if (arm.cost == 0 && arm.column.empty()) continue;
    costs.push_back(fmt::format("{} {}", printable(arm.label), arm_cost_text(arm)));
  }
  return fmt::format("Net value: the {0} outcome ({1}) {2} the {0} cost per unit ({3})", mean,
                     direction, decision.lower_is_better ? "plus" : "less",
                     costs.empty() ? "0 for every arm" : fmt::format("{}", fmt::join(costs, ", ")));
}

std::string dependence_sentence(const Decision& decision) {
  if (decision.design_effect < kNotableDesignEffect) return "";
  if (decision.dependence == Dependence::kClusters && decision.num_given_clusters > 0) {
    return sentence(
        "Standard errors are clustered by the {} clusters given: they are {:.1f} times those of "
        "independent units.\n",
        grouped(decision.num_given_clusters), std::sqrt(decision.design_effect));
  }
  return sentence(
      "Intervals allow for correlated errors of connected units (dependence {}): they are {:.1f} "
      "times as wide as for independent units.\n",
      enum_name(decision.dependence), std::sqrt(decision.design_effect));
}

/// Where intervals are wider than sampling error makes them.
std::string smoothing_sentence(const Decision& decision) {
  double largest = 0;
  const DecidedPolicy* most = nullptr;
  for (const DecidedPolicy& policy : decision.policies) {
    if (!policy.interval || !policy.sampling_interval || policy.joint_value) continue;
    const double by = std::max(policy.sampling_interval->first - policy.interval->first,
                               policy.interval->second - policy.sampling_interval->second);
    if (by <= largest) continue;
    largest = by;
    most = &policy;
  }
  if (most == nullptr) return "";
  return fmt::format(
      "Intervals are extended to one side by the estimated smoothing bias of the outcome model, at "
      "most {} ({}).\n",
      amount(largest), printable(most->name));
}

/// Explains the upper confidence limit where a sentence mentions it.
std::string strength_sentence(const Decision& decision) {
  const auto mentions_limit = [&](const DecidedPolicy& policy) {
    return !policy.is_logged &&
           decision_sentence(policy, decision).find(kUpperLimit) != std::string::npos;
  };
  if (std::none_of(decision.policies.begin(), decision.policies.end(), mentions_limit)) return "";
  return "The network does not significantly improve the treatment model beyond the features, so "
         "that nothing shows how strong an unmeasured confounder may be: no verdict is supported. "
         "Sensitivity is measured against the upper confidence limit of that improvement.\n";
}

/// Explains sensitivity intervals that extend to one side.
std::string direction_sentence(const Decision& decision) {
  if (!decision.direction_is_known) return "";
  return "Treatment follows what the network predicts of the outcome, in a clear direction; "
         "sensitivity intervals take an unmeasured confounder to act in the same direction.\n";
}

/// The condition of a verdict that sensitivity intervals do not support.
std::string condition_text(const DecidedPolicy& policy, const Decision& decision,
                           std::string_view strength) {
  if (decision.estimator == "naive") {
    return ", conditional on no confounding at all: naive adjusts for no feature.";
  }
  const std::string condition = ", conditional on no unmeasured confounding";
  if (!policy.sensitivity_gain_interval) {
    return condition + (decision.is_sensitivity_off
                            ? ", whose strength was not measured (--no-sensitivity-interval)."
                            : ", whose strength this run could not measure (cone sensitivity gives "
                              "the strength it would take).");
  }
  if (!policy.overturning_strength) return condition + ".";
  return condition + sentence(
                         "; an unmeasured confounder {:.2g} times as strong as {} would explain "
                         "this away.",
                         *policy.overturning_strength, strength);
}

/// Values by the joint model, where they differ visibly from the headline's.
std::string joint_sentence(const Decision& decision) {
  constexpr double kVisible = 0.1;  // of the sampling interval's half-width
  std::vector<std::string> values;
  for (const DecidedPolicy& policy : decision.policies) {
    if (!policy.joint_value || !policy.sampling_interval) continue;
    const auto [low, high] = *policy.sampling_interval;
    if (std::abs(*policy.joint_value - policy.value) < kVisible * (high - low) / 2) continue;
    values.push_back(
        fmt::format("{} to {}", printable(policy.name), sentence("{:.3g}", *policy.joint_value)));
  }
  if (values.empty() || values.size() > kMostNames) return "";
  return fmt::format(
      "If what the outcome model cannot explain selected units as what it explains did, values "
      "would be nearer to the following, which the {:g} % CIs include: {}.\n",
      100 * decision.level, fmt::join(values, ", "));
}

std::string list_names(const std::vector<std::string>& names) {
  if (names.size() > kMostNames) return fmt::format("any of {} policies", names.size());
  return fmt::format("{}{}", names.size() > 1 ? "one of: " : "", fmt::join(names, ", "));
}

}  // namespace

double cost_shift(const DecidedPolicy& policy, const Decision& decision) {
  return direction_sign(decision.lower_is_better) * policy.cost.value_or(0);
}

std::string decision_sentence(const DecidedPolicy& policy, const Decision& decision,
                              std::string_view other) {
  const std::string name = printable(policy.name) + (policy.cost ? ", after costs" : "");
  if (!std::isfinite(policy.value)) return fmt::format("{}: no value; see the warnings.", name);
  if (!policy.gain_interval) {
    return fmt::format("{}: {} {} per unit than {}, with no valid interval; see the warnings.",
                       name, amount(policy.gain), policy.gain < 0 ? "lower" : "higher", other);
  }
  const auto [low, high] = *policy.gain_interval;
  if (low == 0 && high == 0) return fmt::format("{}: identical to {}.", name, other);
  if (!policy.unreliable.empty()) {
    const std::string range = low > 0 ? fmt::format("{} to {} more", amount(low), amount(high))
                              : high < 0
                                  ? fmt::format("{} to {} less", amount(high), amount(low))
                                  : fmt::format("{} less to {} more", amount(low), amount(high));
    return fmt::format("{}: no verdict on the difference from {} ({} per unit): {}.", name, other,
                       range, policy.unreliable);
  }
  if (low <= 0 && high >= 0) {
    return fmt::format("{}: no clear difference from {} ({} less to {} more per unit).", name,
                       other, amount(low), amount(high));
  }
  const bool is_higher = low > 0;
  const auto range_of = [&](Interval interval) {
    return fmt::format("{} to {}", amount(is_higher ? interval.first : interval.second),
                       amount(is_higher ? interval.second : interval.first));
  };
  // Where lower is better, "better by 0.04" leaves open which way.
  const std::string_view by = !decision.lower_is_better ? " by"
                              : is_higher               ? ", higher by"
                                                        : ", lower by";
  const std::string text =
      fmt::format("{}: {} than {}{} {} per unit ({:g} % CI {}", name,
                  is_higher != decision.lower_is_better ? "better" : "worse", other, by,
                  amount(policy.gain), 100 * decision.level, range_of(*policy.gain_interval));
  const std::string_view strength = decision.strength_is_clear ? "the network" : kUpperLimit;
  if (policy.verdict != ComparisonVerdict::kSupported) {
    return text + ')' + condition_text(policy, decision, strength);
  }
  if (decision.is_randomised) return text + "), given that treatment was assigned at random.";
  return text + fmt::format("; {} with an unmeasured confounder as strong as {}).",
                            range_of(*policy.sensitivity_gain_interval), strength);
}

const PolicyDifference* find_effect(const Decision& decision) {
  const auto is_pair = [&](const PolicyDifference& pair) {
    return std::set{decision.policies[pair.first].name, decision.policies[pair.second].name} ==
           std::set<std::string>{"treat-all", "treat-none"};
  };
  const auto found = std::ranges::find_if(decision.differences, is_pair);
  return found == decision.differences.end() ? nullptr : &*found;
}

std::string effect_sentence(const Decision& decision) {
  const PolicyDifference* found = find_effect(decision);
  if (found == nullptr) return "";
  const DecidedPolicy& first = decision.policies[found->first];
  const DecidedPolicy& second = decision.policies[found->second];
  const bool is_reversed = first.name == "treat-none";
  const double sign = is_reversed ? -1 : 1;
  const auto oriented = [&](Interval interval) {
    return is_reversed ? Interval{-interval.second, -interval.first} : interval;
  };
  DecidedPolicy effect{
      .name = "treat-all",
      .value = (is_reversed ? second : first).value,
      .cost = first.cost,
      .gain = sign * found->difference,
      .gain_interval = oriented(found->interval),
      .verdict = found->verdict,
      .unreliable = first.unreliable.empty() ? second.unreliable : first.unreliable};
  if (found->sensitivity_interval) {
    effect.sensitivity_gain_interval = oriented(*found->sensitivity_interval);
    effect.overturning_strength = found->overturning_strength;
  }
  return decision_sentence(effect, decision, "treat-none");
}

std::string best_sentence(const Decision& decision) {
  std::vector<std::string> names;            // may be the best without unmeasured confounding
  std::vector<std::string> with_confounder;  // and with it
  std::size_t compared = 0;
  for (const DecidedPolicy& policy : decision.policies) {
    // A policy without a valid interval cannot be ruled out.
    compared += policy.ranks ? 1 : 0;
    const bool is_unknown = !policy.ranks;
    if (is_unknown || policy.may_be_best) names.push_back(printable(policy.name));
    if (is_unknown || !policy.sensitivity_ranks || policy.sensitivity_may_be_best) {
      with_confounder.push_back(printable(policy.name));
    }
  }
  if (compared < 2) return "";
  if (decision.single_best) {
    return fmt::format("The best policy is {}.", printable(*decision.single_best));
  }
  std::string condition = fmt::format(
      "Conditional on no unmeasured confounding the best policy is {}.", list_names(names));
  const bool has_strength =
      decision.has_benchmark &&
      std::any_of(decision.policies.begin(), decision.policies.end(),
                  [](const DecidedPolicy& policy) { return policy.sensitivity_ranks.has_value(); });
  const std::string any = fmt::format("The best policy is {}.", list_names(names));
  if (!has_strength) return names.size() == decision.policies.size() ? any : condition;
  const std::string all = fmt::format("The best policy is {}.", list_names(with_confounder));
  return names.size() < with_confounder.size() ? all + ' ' + condition : all;
}

std::string decision_text(const Decision& decision) {
  std::string text = fmt::format(
      "{} under the policy, for {}; estimator {}. Gain: over the logged policy.\n\n",
      define_value(decision), decision.target == Target::kSample ? "the sample" : "the population",
      decision.estimator);
  text += policy_table(decision).to_string() + '\n';
  for (const DecidedPolicy& policy : decision.policies) {
    if (!policy.is_logged) text += decision_sentence(policy, decision) + '\n';
  }
  const std::string effect = effect_sentence(decision);
  if (!effect.empty()) text += effect + '\n';
  const std::string best = best_sentence(decision);
  if (!best.empty()) text += best + '\n';
  return text + joint_sentence(decision) + strength_sentence(decision) +
         direction_sentence(decision) + smoothing_sentence(decision) +
         dependence_sentence(decision);
}

}  // namespace cone

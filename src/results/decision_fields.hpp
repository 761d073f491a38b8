#pragma once

#include <optional>
#include <string>

#include "cone/record.hpp"

#include "results/decision_text.hpp"
#include "results/record_fields.hpp"

/// \file
/// The fields of the comparison of policies in the record, one line each (options/record_json.hpp).

namespace cone {

/// The average effect of treatment; none where treat-all and treat-none were not compared.
struct EffectClaim {
  ComparisonVerdict verdict = ComparisonVerdict::kNotShown;
  std::string sentence;
};
inline std::optional<EffectClaim> claim_effect(const Decision& decision) {
  const PolicyDifference* effect = find_effect(decision);
  if (effect == nullptr) return std::nullopt;
  return EffectClaim{effect->verdict, effect_sentence(decision)};
}
void list_fields(const EffectClaim& effect, auto& line) {
  line("verdict", effect.verdict);
  line("sentence", effect.sentence);
}

void list_fields(const DecidedPolicy& p, const Decision& decision, auto& line) {
  line("name", p.name);
  line("is_logged", p.is_logged, "The logged policy, whose value is the mean outcome");
  line("value", p.value);
  line("interval", p.interval,
       "For sampling error and the smoothing bias; verdicts, ranks and regret are by these "
       "intervals");
  line("sampling_interval", p.sampling_interval, "For sampling error alone");
  line("other_target_interval", p.other_target_interval,
       "As interval, for the other target (sample or population) than the decision's; [null, null] "
       "for the logged policy and where there is none");
  line("joint_value", p.joint_value,
       "Value by the joint model of treatment and outcome (docs/joint_model.md), which interval "
       "allows for; null where that changes nothing");
  line("sensitivity_interval", p.sensitivity_interval,
       "Allows for an unmeasured confounder as strong as what the network reveals");
  line("joint_interval", p.joint_interval, "Simultaneous intervals of all policies");
  line("sampling_joint_interval", p.band, "The same for sampling error alone");
  const OnlyIf with_costs = only_if(p.cost.has_value());
  line("cost", p.cost,
       "Mean cost per unit; this and the net fields only with --cost. value and the intervals "
       "without net in their names are before costs",
       with_costs);
  line("net_value", p.value - cost_shift(p, decision),
       "value less cost; value plus cost where lower is better", with_costs);
  line("net_interval", p.net_interval, with_costs);
  line("net_sampling_interval", p.net_sampling_interval, with_costs);
  line("net_sensitivity_interval", p.net_sensitivity_interval, with_costs);
  line("net_joint_interval", p.net_joint_interval, with_costs);
  line("net_sampling_joint_interval", p.net_band, with_costs);
  const OnlyIf not_logged = only_if(!p.is_logged);
  line("gain", p.gain, "Over the logged policy, net of cost", not_logged);
  line("gain_interval", p.gain_interval, "As interval", not_logged);
  line("sampling_gain_interval", p.sampling_gain_interval, "As sampling_interval", not_logged);
  line("sensitivity_gain_interval", p.sensitivity_gain_interval, "As sensitivity_interval",
       not_logged);
  line("gain_p", p.gain_p,
       "Two-sided, adjusted for all pairs by step-down; never below the unadjusted p value",
       between(0, 1), not_logged);
  line("overturning_strength", p.overturning_strength,
       "How many times as strong as the network an unmeasured confounder must be to explain the "
       "gain away",
       at_least(0), not_logged);
  line("verdict", p.verdict,
       "supported: interval and sensitivity interval of the difference exclude 0, or treatment was "
       "randomised; conditional: the first only, so conditional on no unmeasured confounding; "
       "not_shown: otherwise, or where an arm has too few units or events",
       not_logged);
  line("unreliable", known(p.unreliable),
       "Why the interval is not to be relied on, so that the verdict is not_shown whatever it "
       "excludes",
       not_logged);
  line("sentence", decision_sentence(p, decision), "The verdict in a sentence", not_logged);
  line("ranks", p.ranks, "Confidence set of ranks, best and worst; 1 is the largest value",
       or_null(at_least(1)));
  line("may_be_best", p.may_be_best);
  line("sensitivity_ranks", p.sensitivity_ranks,
       "The same, allowing for an unmeasured confounder as strong as the sensitivity intervals do; "
       "null where no strength is known",
       or_null(at_least(1)));
  line("sensitivity_may_be_best", p.sensitivity_may_be_best);
  line("regret", p.regret, "Upper bound of the loss against the best of the others", at_least(0));
}

void list_fields(const PolicyDifference& d, const Decision& decision, auto& line) {
  line("first", [&] { return decision.policies[d.first].name; });
  line("second", [&] { return decision.policies[d.second].name; });
  line("difference", d.difference);
  line("standard_error", d.standard_error, or_null(at_least(0)));
  line("interval", d.interval, "For sampling error and the smoothing bias");
  line("joint_interval", d.joint_interval, "Simultaneous over all pairs");
  line("sampling_interval", d.sampling_interval, "For sampling error alone");
  line("sampling_joint_interval", d.sampling_joint_interval, "The same, simultaneous");
  line("p", d.p, "Two-sided, adjusted for all pairs by step-down", or_null(between(0, 1)));
  line("sensitivity_interval", d.sensitivity_interval,
       "Allows for an unmeasured confounder as strong as what the network reveals; null where no "
       "strength is known");
  line("sensitivity_joint_interval", d.sensitivity_joint_interval, "The same, simultaneous");
  line("verdict", d.verdict, "As that of a policy");
}

void list_fields(const Decision& decision, auto& line) {
  line("estimator", decision.estimator);
  line("target", decision.target);
  line("dependence", decision.dependence, kDependence);
  line("design_effect", decision.design_effect,
       "Variance over that of independent nodes; mean over the policies", at_least(0));
  line("level", decision.level, "Of all intervals", strictly_between(0, 1));
  line("randomised", decision.is_randomised,
       "Treatment was assigned at random given the features: declared (--randomised), or "
       "propensities are given");
  list_outcome(decision.outcome, decision.lower_is_better, line);
  line("summary", best_sentence(decision),
       "The single best policy, or which may be the best, in a sentence");
  line("effect", claim_effect(decision),
       "The average effect of treatment, treat-all against treat-none; null where they were not "
       "compared");
  line("single_best", decision.single_best,
       "The policy that is supported against every other, by joint intervals");
  line("costs", costs_by_arm(decision.costs),
       "Cost of every arm, with --cost; gains, differences, ranks and regrets are then net of "
       "cost. The mean over the units where a column has the cost",
       Range(), if_any());
  line("policies",
       each(decision.policies, [&](const DecidedPolicy& policy,
                                   auto& lines) { list_fields(policy, decision, lines); }),
       "The logged policy first, then in the order given");
  line("differences",
       each(decision.differences,
            [&](const PolicyDifference& pair, auto& lines) { list_fields(pair, decision, lines); }),
       "Of all pairs, first less second; with more policies than --list-pairs-up-to, pairs with "
       "the logged policy only");
  list_cost_columns(decision.costs, line);
  line("num_differences_left_out", decision.num_pairs_left_out,
       "Pairs that were compared but are not listed", at_least(1),
       only_if(decision.num_pairs_left_out > 0));
}

}  // namespace cone

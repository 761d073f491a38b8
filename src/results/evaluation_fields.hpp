#pragma once

#include <optional>
#include <vector>

#include "cone/output.hpp"
#include "cone/record.hpp"

#include "results/decision_fields.hpp"
#include "results/diagnostics_fields.hpp"
#include "results/record_fields.hpp"

/// \file
/// The fields of an evaluation's record, one line each (options/record_json.hpp).

namespace cone {

inline constexpr SchemaKeywords kChecksumOrNone{R"("pattern": "^([0-9a-f]{32})?$")"};

void list_fields(const ArmSummary& arm, auto& line) {
  line("label", arm.label, "As in the data");
  line("num_nodes", arm.num_nodes, "Nodes that received it");
}

void list_fields(const DataSummary& data, auto& line) {
  line("num_nodes", data.num_nodes);
  line("num_edges", data.num_edges);
  line("num_features", data.num_features);
  line("num_numeric_features", data.num_numeric_features, "The other features are count features");
  line("num_treated", data.num_treated, "Not in the control arm");
  line("arms", data.arms, "The control arm first", kArmCount);
  line("checksum", data.checksum,
       "Empty with --engine petsc and more nodes than one process can index", kChecksumOrNone);
  line("weights", group([&](auto& weights) {
         weights("effective_sample_size", data.effective_sample_size.value_or(0),
                 "Kish: (sum of w)² / sum of w²", at_least(0));
       }),
       "Only with --weight: values, shares and diagnostics are then weighted means",
       only_if(data.effective_sample_size.has_value()));
  line("clusters", group([&](auto& clusters) { clusters("count", data.num_clusters); }),
       "Only with --cluster: the dependence clusters then uses these clusters, not communities of "
       "the network",
       only_if(data.num_clusters > 0));
}

void list_fields(const SmoothingBias& found, auto& line) {
  line("bias", found.bias, "The value is too high by this");
  line("standard_error", found.standard_error, "Of the bias");
}

void list_fields(const DependentError& error, auto& line) {
  line("dependence", error.dependence, kDependence);
  line("standard_error", error.standard_error, or_null(at_least(0)));
  line("noise", error.noise, "Relative standard error of the variance estimate",
       or_null(at_least(0)));
  line("unusable", error.unusable, "Why it is not used; empty if usable");
}

/// The value by the joint model.
struct JointValue {
  double value = 0;
  double standard_error = 0;
};
void list_fields(const JointValue& joint, auto& line) {
  line("value", joint.value);
  line("standard_error", joint.standard_error);
}

/// Without and with noise that treatment depends on; none without the joint model.
inline std::optional<std::vector<JointValue>> joint_values(const Estimate& e) {
  if (e.joint.empty()) return std::nullopt;
  std::vector<JointValue> values;
  for (const AlternativeValue& other : e.joint) {
    values.push_back({e.value + other.shift, other.error_with(e.standard_error)});
  }
  return values;
}

void list_fields(const Estimate& e, auto& line) {
  line("estimator", e.estimator);
  line("value", e.value, "The policy value");
  line("standard_error", e.standard_error,
       "null where it would treat an outcome model as exact or ignore nodes without overlap; a "
       "warning says so, and the interval is [null, null]",
       or_null(at_least(0)));
  line("interval", e.interval(),
       "Encloses sampling_interval, the same around the value without its smoothing bias and, for "
       "network_dm, the intervals of joint_values");
  line("sampling_interval", e.sampling_interval, "For sampling error alone");
  line("smoothing_bias", e.smoothing_bias,
       "Of penalised outcome models whose value is linear in the outcomes: the value is too high "
       "by bias, estimated at the model's own fit. null for other estimators, and with a split");
  line("joint_values", joint_values(e),
       "network_dm: the value by the joint model of treatment and outcome, without and with noise "
       "that treatment depends on. null for other estimators and where the model was not fitted");
  line("degrees_of_freedom", e.degrees_of_freedom,
       "Of the t quantile of sampling_interval (Satterthwaite; by clusters where they are fewer); "
       "null: the normal quantile",
       or_null(at_least(1)));
  line("target", e.target,
       "Estimand of standard_error and sampling_interval: the value for the evaluated nodes "
       "(finite population), or for the population they are a sample of");
  line("level", e.level, "Of all intervals", strictly_between(0, 1));
  line("population_standard_error", e.population_standard_error,
       "For the population, whatever target is", or_null(at_least(0)));
  line("population_interval", e.population_interval(), "As interval, for the population");
  line("population_sampling_interval", e.population_sampling_interval,
       "As population_standard_error");
  line("sample_standard_error", e.sample_standard_error,
       "For the sample, whatever target is; null where the estimator has none",
       or_null(at_least(0)));
  line("sample_interval", e.sample_interval(), "As interval, for the sample");
  line("sample_sampling_interval", e.sample_sampling_interval, "As sample_standard_error");
  line("sensitivity_interval", e.sensitivity_interval,
       "interval widened by confounding_bias_bound; [null, null] without a network, without an "
       "outcome model, and with --no-sensitivity-interval");
  line("confounding_bias_bound",
       e.confounding_bias_bound ? std::optional(e.confounding_bias_bound->largest()) : std::nullopt,
       "Largest bias of an unmeasured confounder as strong as the network's gain in the treatment "
       "model",
       at_least(0));
  line("dependence", e.dependence, "Dependence that standard_error allows for", kDependence);
  line("standard_errors", e.errors_by_dependence,
       "Standard error for target under every form of dependence; the largest usable one is taken "
       "unless --dependence names one. Empty where only part of the network is scored");
  line("effective_sample_size", e.effective_sample_size, "null where no weights are involved");
  line("max_weight", e.max_weight);
  line("clipped_fraction", e.clipped_fraction,
       "Share of nodes whose weight a bound, clip or switch changed", between(0, 1));
  line("mean_weight", e.mean_weight,
       "Mean of policy probability / propensity of the logged treatment, before clipping: near 1 "
       "if the propensities are correct and overlap holds; null without propensities",
       at_least(0));
  line("off_support_fraction", e.off_support_fraction,
       "Mean probability that the policy takes an arm without support: given propensity 0, or "
       "fitted propensity below the bound; null without propensities",
       between(0, 1));
  line("status", e.status, "undefined: no value exists");
  line("warnings", e.warnings);
  line("seed_sd", e.seed_sd,
       "Standard deviation of the value over the repeats; only if repeats is above 1. value and "
       "standard_error are then medians",
       if_any());
}

void list_fields(const PolicyResult& policy, auto& line) {
  line("name", policy.name);
  line("checksum", policy.checksum, "Checksum of its probabilities", kChecksumOrNone);
  line("treated_fraction", policy.treated_fraction,
       "Share of the evaluated nodes that it assigns to an arm other than control", between(0, 1));
  line("arm_fractions", policy.arm_fractions,
       "Share of the evaluated nodes that get each arm, in the order of data.arms", between(0, 1));
  line("truth", policy.truth, "Simulations only", if_any());
  line("estimates", policy.estimates, "One per estimator");
}

void list_fields(const RankingArea& area, auto& line) {
  line("value", area.value);
  line("standard_error", area.standard_error, or_null(at_least(0)));
  line("interval", area.interval, "For sampling error and the smoothing bias");
  line("sampling_interval", area.sampling_interval, "For sampling error alone");
  line("p", area.p, "Two-sided, of no difference from random assignment", or_null(between(0, 1)));
  line("sensitivity_interval", area.sensitivity_interval,
       "For an unmeasured confounder as strong as what the network reveals; null where no strength "
       "is known");
  line("verdict", area.verdict, "On the ranking against a random one");
  line("truth", area.truth, "Simulations only", if_any());
}

void list_fields(const BudgetPoint& point, auto& line) {
  line("share", point.share, "Share of the units treated", between(0, 1));
  line("cost", point.cost, "Mean over all units, beyond the cost of no treatment");
  line("gain", point.gain, "Per unit, over no treatment, net of cost");
  line("standard_error", point.standard_error, or_null(at_least(0)));
  line("interval", point.interval, "For sampling error and the smoothing bias");
  line("joint_interval", point.joint_interval, "Simultaneous over all points");
  line("sampling_interval", point.sampling_interval, "For sampling error alone");
  line("sampling_joint_interval", point.band,
       "Simultaneous confidence band over all points, for sampling error alone");
  line("sensitivity_interval", point.sensitivity_interval,
       "interval widened by the largest bias of an unmeasured confounder as strong as the network");
  line("over_random", point.over_random,
       "Gain over treating the same share at random: gain less share times the gain of treating "
       "every unit");
  line("over_random_standard_error", point.over_random_error, or_null(at_least(0)));
  line("over_random_interval", point.over_random_interval, "As interval");
  line("over_random_joint_interval", point.over_random_joint_interval, "As joint_interval");
  line("over_random_sampling_interval", point.over_random_sampling_interval,
       "As sampling_interval");
  line("over_random_sampling_joint_interval", point.over_random_band, "As sampling_joint_interval");
  line("truth", point.truth, "Of the gain; simulations only", if_any());
}

void list_fields(const BudgetCurve& curve, auto& line) {
  line("ranking", curve.ranking, "The ranking column or policy");
  line("is_policy", curve.is_policy);
  line("arm", curve.arm, "Arm of the units ranked first; the others get the control arm");
  line("estimator", curve.estimator);
  line("target", curve.target);
  line("dependence", curve.dependence, kDependence);
  line("level", curve.level, "Of all intervals", strictly_between(0, 1));
  line("lower_is_better", curve.lower_is_better,
       "Lower outcomes are better (--lower-is-better); else higher ones are");
  line("best_share", curve.best_share, "Share with the best estimated gain", between(0, 1));
  line("largest_tie", curve.largest_tie, "Share of the units in the largest group of tied scores",
       between(0, 1));
  line("sentence", ranking_sentence(curve),
       "The verdict on the ranking against random assignment, by qini");
  line("qini", curve.qini,
       "Area between the curve and random assignment: the mean of over_random over all shares");
  line("autoc", curve.autoc, "Mean of over_random / share over all shares");
  line("points", curve.points, "From no treatment to treating every unit",
       SchemaKeywords{R"("minItems": 3)"});
  line("warnings", curve.warnings);
}

void list_fields(const EvaluationRecord& record, auto& line) {
  list_origin(kEvaluationSchema, record.version, record.revision, record.commit, line);
  line(
      "run_id", [&] { return record.run_id(); },
      "Checksum over version, revision, configuration, and the checksums of data and policies",
      kChecksum);
  line("config", record.config,
       "Every option with its value, in the spelling of the flags (underscores for hyphens)");
  line("data", record.data);
  line("status", record.status,
       "interrupted: stopped by the user; has the estimates that were finished",
       SchemaKeywords{R"("enum": ["completed", "interrupted"])"});
  line("repeats", record.repeats, "Number of seeds over which estimates are medians (--repeats)",
       at_least(1));
  line("unfinished", record.unfinished, "Estimators that an interrupted run did not finish");
  line("policies", record.policies, "In the order given", kAtLeastOne);
  line("decision", record.decision,
       "Comparison of all policies by one estimator; absent where only part of the network is "
       "scored",
       if_any());
  line("budget_curves", record.budget_curves,
       "Gain of treating the units ranked first at every budget, one curve per --rank", if_any());
  line("diagnostics",
       group([&](auto& lines) { list_fields(record.diagnostics, record.notes, lines); }),
       "docs/diagnostics.md explains them");
  line("timing_seconds", record.timing_seconds, "By step", at_least(0),
       SchemaKeywords{R"("required": ["total"])"});
}

}  // namespace cone

#pragma once

#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/error.hpp"
#include "cone/output.hpp"
#include "cone/sensitivity.hpp"

#include "results/record_fields.hpp"

/// \file
/// The fields of a sensitivity analysis's record, one line each (options/record_json.hpp).

namespace cone {

struct SensitivityRecord {
  const SensitivityReport& report;
  nlohmann::ordered_json config;
  std::string_view data_checksum;
};

/// One number of every point of the curve.
template <class Field>
std::vector<double> curve_column(const std::vector<MarginalBounds>& curve, const Field& field) {
  std::vector<double> values;
  for (const MarginalBounds& at : curve) values.push_back(field(at));
  return values;
}

/// Bounds under the marginal sensitivity model: arrays of equal length.
void list_marginal(const PolicySensitivity& policy, auto& line) {
  const auto column = [&](const auto& field) { return curve_column(policy.curve, field); };
  const auto end = [&](BoundEnd MarginalBounds::*side, double BoundEnd::*number) {
    return curve_column(policy.curve, [=](const MarginalBounds& at) { return at.*side.*number; });
  };
  line("lambda", column([](const MarginalBounds& at) { return at.lambda; }), at_least(1),
       kAtLeastOne);
  line("lower", end(&MarginalBounds::lower, &BoundEnd::value));
  line("upper", end(&MarginalBounds::upper, &BoundEnd::value));
  line("lower_standard_error", end(&MarginalBounds::lower, &BoundEnd::standard_error),
       "For the sample", or_null(at_least(0)));
  line("upper_standard_error", end(&MarginalBounds::upper, &BoundEnd::standard_error),
       or_null(at_least(0)));
  line("lower_population_standard_error",
       end(&MarginalBounds::lower, &BoundEnd::population_standard_error), "For the population",
       or_null(at_least(0)));
  line("upper_population_standard_error",
       end(&MarginalBounds::upper, &BoundEnd::population_standard_error), or_null(at_least(0)));
  line("breakdown", policy.breakdown.lambda,
       "Smallest lambda that explains the value away; null if none of the curve does", at_least(1));
  line("breakdown_with_confidence", policy.breakdown.confident,
       "Smallest lambda at which the value is no longer significant", at_least(1));
}

void list_benchmark(const Benchmark& b, const PolicySensitivity& policy,
                    const SensitivityReport& report, auto& line) {
  line("name", b.name, "What was left out: network, counts, or a column");
  line("outcome_r2_with", b.outcome_r2_long);
  line("outcome_r2_without", b.outcome_r2_short);
  line("treatment_r2_with", b.treatment_r2_long);
  line("treatment_r2_without", b.treatment_r2_short);
  line("treatment_gain_is_clear", b.treatment_gain_is_clear);
  line("cf_y", b.cf_y, or_null(between(0, 1)));
  line("cf_d", b.cf_d, or_null(between(0, 1)));
  line("nu2_gain", b.nu2_gain);
  line("converted_gain", b.converted_gain);
  line("bias", b.bias, "Largest bias that an unmeasured confounder of this strength can cause",
       or_null(at_least(0)));
  line("shift", b.shift, "Change of the value when it is left out");
  line("times_to_explain_away", times_to_explain_away(report, policy, b),
       "How many times as strong an unmeasured confounder explains the value away",
       or_null(at_least(0)));
}

void list_omitted_variable(const PolicySensitivity& policy, const SensitivityReport& report,
                           auto& line) {
  line("scale", policy.scale, or_null(at_least(0)));
  line("scale_by_arm", policy.scale_by_arm, or_null(at_least(0)));
  line("sigma2", policy.sigma2, or_null(at_least(0)));
  line("nu2", policy.nu2);
  line("robustness_value", policy.robustness, or_null(at_least(0)));
  line("robustness_value_with_confidence", policy.confident_robustness, or_null(at_least(0)));
  line("contour", group([&](auto& lines) {
         lines("strengths", policy.contour_strengths, or_null(at_least(0)));
         lines("bound", policy.contour,
               "One row per strength on the outcome, one column per strength on the treatment");
       }));
  line("benchmarks", each(policy.benchmarks, [&](const Benchmark& benchmark, auto& lines) {
         list_benchmark(benchmark, policy, report, lines);
       }));
}

void list_fields(const PolicySensitivity& policy, const SensitivityReport& report, auto& line) {
  line("name", policy.policy);
  line("network_ridge_value", policy.ridge_value,
       "The same by network_dm, the recommended estimator of cone evaluate");
  line("value", policy.value, "Doubly robust; the bounds are around it");
  line("standard_error", policy.standard_error, "For the sample", or_null(at_least(0)));
  line("population_standard_error", policy.population_standard_error, "For the population",
       or_null(at_least(0)));
  line("error_factor", policy.error_factor, "Standard errors over those of independent units",
       or_null(at_least(0)));
  line("sampling_interval", policy.sampling_interval);
  line("marginal", group([&](auto& lines) { list_marginal(policy, lines); }),
       "Bounds under the marginal sensitivity model (Tan 2006; Dorn and Guo 2023) by lambda, the "
       "largest odds ratio; arrays of equal length");
  line("omitted_variable",
       group([&](auto& lines) { list_omitted_variable(policy, report, lines); }),
       "Omitted-variable bias (Cinelli and Hazlett 2020; Chernozhukov et al. 2022)");
  line("sentences", sensitivity_sentences(report, policy));
  line("against", policy.against,
       "The other policy that value is the difference from; absent without one", if_any());
}

void list_fields(const SensitivityRecord& record, auto& line) {
  const SensitivityReport& report = record.report;
  list_origin(kSensitivitySchema, kVersion, source_revision(), build_commit(), line);
  line("config", record.config,
       "Every option with its value, in the spelling of the flags (underscores for hyphens)");
  line("data", group([&](auto& lines) {
         lines("num_nodes", report.num_nodes);
         lines("num_edges", report.num_edges);
         lines("arms", report.arms, "The control arm first", kArmCount);
         lines("checksum", record.data_checksum, kChecksum);
       }));
  line("target", "sample", Constant());
  line("reference", report.reference,
       "What policies are compared with: the logged policy, nothing but the threshold, or another "
       "policy");
  line("threshold", report.threshold, "The conclusion changes where the value crosses it");
  list_outcome(report.outcome, report.lower_is_better, line);
  line("level", report.level, "Of all intervals", strictly_between(0, 1));
  line("observed_mean", report.observed_mean,
       "Mean of the observed outcomes: the value of the logged policy");
  line("outcome_is_binary", report.outcome_is_binary);
  line("propensity_sees_network", report.propensity_sees_network);
  line("outcome_r2", report.outcome_r2, "Out of fold");
  line("treatment_r2", report.treatment_r2, "Out of fold");
  line("policies",
       each(report.policies, [&](const PolicySensitivity& policy,
                                 auto& lines) { list_fields(policy, report, lines); }),
       kAtLeastOne);
  line("warnings", report.warnings);
}

}  // namespace cone

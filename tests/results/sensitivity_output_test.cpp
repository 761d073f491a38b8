// Sentences, tables and JSON of a sensitivity analysis.

#include <cmath>

#include <gtest/gtest.h>

#include "cone/output.hpp"

namespace cone {
namespace {

SensitivityReport make_report() {
  SensitivityReport report;
  report.num_nodes = 1234;
  report.arms = {"0", "1"};
  report.reference = Reference::kLogged;
  report.outcome_r2 = 0.5;
  PolicySensitivity& policy = report.policies.emplace_back();
  policy.policy = "loyal";
  policy.value = 0.9;
  policy.ridge_value = 0.93;
  policy.standard_error = 0.25;
  policy.sampling_interval = {0.4, 1.4};
  policy.scale = 2;
  policy.scale_by_arm = 1.8;
  policy.robustness = 0.37;
  policy.confident_robustness = 0.18;
  policy.breakdown = {1.8, 1.3};
  for (const double lambda : {1.0, 1.1, 2.0, 5.0}) {
    policy.curve.push_back({lambda, {0.9 - lambda, 0.25}, {0.9 + lambda, 0.25}});
  }
  policy.contour_strengths = {0, 0.5};
  policy.contour = Matrix<double>(2, 2, 0.9);
  policy.benchmarks.push_back({.name = "network", .treatment_gain_is_clear = true, .bias = 0.45});
  policy.benchmarks.push_back({.name = "age", .treatment_gain_is_clear = false, .bias = 0.45});
  return report;
}

std::string join_sentences(const SensitivityReport& report) {
  std::string text;
  for (const std::string& sentence : sensitivity_sentences(report, report.policies[0])) {
    text += sentence + "\n";
  }
  return text;
}

void expect_words(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << "\nnot in\n" << text;
}

TEST(SensitivitySentences, GiveTheValueAndWhatWouldExplainItAway) {
  const std::string text = join_sentences(make_report());
  expect_words(text,
               "The value of loyal is 0.90 higher per unit than that of the logged policy (95 % CI "
               "0.40 to 1.40)");
  expect_words(text, "by a factor of Λ = 1.80 explains it away");
  expect_words(text, "from Λ = 1.30 on the difference is no longer significant");
  expect_words(text, "a partial R² of 37.0 % with both outcome and treatment");
  expect_words(text, "2.0 times as strong as the network, on both outcome and treatment");
}

TEST(SensitivitySentences, SayLessWhereItIsLess) {
  SensitivityReport report = make_report();
  report.policies[0].value = -0.9;
  report.policies[0].sampling_interval = {-1.4, -0.4};
  report.reference = Reference::kPolicy;
  report.policies[0].against = "old";
  expect_words(join_sentences(report),
               "The value of loyal is 0.90 lower per unit than that of old (95 % CI 0.40 to 1.40)");
  report.reference = Reference::kNothing;
  expect_words(join_sentences(report),
               "The value of loyal is -0.90 per unit (95 % CI -1.40 to -0.40)");
}

TEST(SensitivitySentences, SayWhereItIsNotSignificantAndWhereNothingExplainsItAway) {
  SensitivityReport report = make_report();
  report.policies[0].breakdown = {1.2, 1.0};
  report.policies[0].confident_robustness = 0;
  const std::string insignificant = join_sentences(report);
  expect_words(insignificant, "The difference from 0 is not significant even without");
  EXPECT_EQ(insignificant.find("times as strong"), std::string::npos);
  report = make_report();
  report.policies[0].breakdown = {};
  expect_words(join_sentences(report), "up to Λ = 5 does not explain it away.");
  report.policies[0].breakdown.confident = 4.2;
  expect_words(join_sentences(report), "from Λ = 4.20 on");
}

TEST(SensitivitySentences, UseNoBenchmarkWithoutAClearGain) {
  SensitivityReport report = make_report();
  report.policies[0].benchmarks[0].treatment_gain_is_clear = false;
  expect_words(join_sentences(report), "it is no benchmark for unmeasured confounding");
  EXPECT_TRUE(std::isnan(
      times_to_explain_away(report, report.policies[0], report.policies[0].benchmarks[0])));
  report = make_report();
  report.policies[0].benchmarks[0].bias = 1.8;
  expect_words(join_sentences(report),
               "50 % as strong as the network, on both outcome and treatment");
}

TEST(SensitivitySentences, OfEqualPoliciesIsOne) {
  SensitivityReport report = make_report();
  report.reference = Reference::kPolicy;
  report.policies[0].against = "twin";
  report.policies[0].scale_by_arm = 0;
  EXPECT_EQ(join_sentences(report),
            "loyal assigns every unit as twin does: their difference is zero.\n");
}

TEST(SensitivityText, ShowsRoundValuesOfLambdaAndBothEstimates) {
  const std::string text = sensitivity_text(make_report());
  expect_words(text, "Doubly robust 0.900, network ridge 0.930");
  expect_words(text, "[-1.600, 3.400]");
  EXPECT_EQ(text.find("1.1 "), std::string::npos);
  expect_words(text, "not clear");
  expect_words(text, "R² 50 % for the outcome");
  expect_words(text, "propensities from the features have R² near 0 for the treatment");
}

TEST(SensitivityJson, HasArraysOfOneLengthAndNullWithoutABreakdown) {
  SensitivityReport report = make_report();
  report.policies[0].breakdown = {};
  const nlohmann::ordered_json json = to_json(report, {{"seed", 3}}, "abc");
  EXPECT_EQ(json["schema"], "cone.sensitivity/2");
  EXPECT_EQ(json["config"]["seed"], 3);
  EXPECT_EQ(json["data"]["checksum"], "abc");
  const auto& policy = json["policies"][0];
  for (const char* name : {"lambda", "lower", "upper", "lower_standard_error"}) {
    EXPECT_EQ(policy["marginal"][name].size(), 4U) << name;
  }
  EXPECT_TRUE(policy["marginal"]["breakdown"].is_null());
  EXPECT_EQ(policy["omitted_variable"]["contour"]["bound"].size(), 2U);
  EXPECT_EQ(policy["omitted_variable"]["benchmarks"][0]["times_to_explain_away"], 2.0);
  EXPECT_TRUE(policy["omitted_variable"]["benchmarks"][1]["times_to_explain_away"].is_null());
  EXPECT_FALSE(policy.contains("against"));
  EXPECT_EQ(policy["sentences"].size(), 4U);
}

}  // namespace
}  // namespace cone

#include "results/decision_text.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace cone {
namespace {

DecidedPolicy policy_with_gain(double low, double high) {
  DecidedPolicy policy;
  policy.name = "coupons";
  policy.value = 10 + (low + high) / 2;
  policy.gain = (low + high) / 2;
  policy.interval = {10 + low, 10 + high};
  policy.gain_interval = {low, high};
  policy.ranks = {1, 2};
  return policy;
}

TEST(DecisionSentence, GivesTheDifferenceAndItsCondition) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.verdict = ComparisonVerdict::kConditional;
  EXPECT_EQ(
      decision_sentence(policy, {}),
      "coupons: better than the logged policy by 0.9 per unit (95 % CI 0.4 to 1.4), conditional "
      "on no unmeasured confounding, whose strength this run could not measure (cone "
      "sensitivity gives the strength it would take).");
  policy = policy_with_gain(-1.4, -0.4);
  policy.verdict = ComparisonVerdict::kSupported;
  EXPECT_EQ(decision_sentence(policy, {.is_randomised = true}),
            "coupons: worse than the logged policy by 0.9 per unit (95 % CI 0.4 to 1.4), given "
            "that treatment "
            "was assigned at random.");
  EXPECT_EQ(decision_sentence(policy_with_gain(-0.2, 0.5), {}),
            "coupons: no clear difference from the logged policy (0.2 less to 0.5 more per unit).");
}

TEST(DecisionSentence, SaysWhichWayWhereLowerIsBetter) {
  const Decision lower{.is_randomised = true, .lower_is_better = true};
  DecidedPolicy policy = policy_with_gain(-1.4, -0.4);
  policy.verdict = ComparisonVerdict::kSupported;
  EXPECT_EQ(decision_sentence(policy, lower),
            "coupons: better than the logged policy, lower by 0.9 per unit (95 % CI 0.4 to 1.4), "
            "given that treatment was assigned at random.");
  policy = policy_with_gain(0.4, 1.4);
  policy.verdict = ComparisonVerdict::kSupported;
  EXPECT_EQ(decision_sentence(policy, lower),
            "coupons: worse than the logged policy, higher by 0.9 per unit (95 % CI 0.4 to 1.4), "
            "given that treatment was assigned at random.");
}

TEST(DecisionText, BeginsWithTheDirection) {
  Decision decision{.estimator = "network_dm"};
  decision.policies = {policy_with_gain(0.4, 1.4)};
  EXPECT_TRUE(decision_text(decision).starts_with(
      "Value: the mean outcome (higher is better) under the policy"));
  decision.lower_is_better = true;
  decision.outcome = "deaths";
  EXPECT_TRUE(decision_text(decision).starts_with(
      "Value: the mean outcome (deaths, lower is better) under the policy"));
  decision.costs = {{.label = "0"}, {.label = "1", .cost = 2}};
  decision.policies[0].cost = 2;
  const std::string text = decision_text(decision);
  EXPECT_TRUE(text.starts_with(
      "Net value: the mean outcome (deaths, lower is better) plus the mean cost per unit (1 2)"))
      << text;
  EXPECT_NE(text.find("12.90"), std::string::npos) << "10.9 + 2\n" << text;
}

TEST(DecisionSentence, IsSupportedOrSaysWhatWouldExplainItAway) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.verdict = ComparisonVerdict::kSupported;
  policy.sensitivity_gain_interval = {0.2, 1.6};
  policy.overturning_strength = 2;
  EXPECT_EQ(
      decision_sentence(policy, {}),
      "coupons: better than the logged policy by 0.9 per unit (95 % CI 0.4 to 1.4; 0.2 to 1.6 "
      "with an unmeasured confounder as strong as the network).");
  policy.verdict = ComparisonVerdict::kConditional;
  policy.sensitivity_gain_interval = {-0.1, 1.9};
  policy.overturning_strength = 0.8;
  EXPECT_EQ(
      decision_sentence(policy, {}),
      "coupons: better than the logged policy by 0.9 per unit (95 % CI 0.4 to 1.4), conditional "
      "on no unmeasured confounding; an unmeasured confounder 0.8 times as strong as the "
      "network would explain this away.");
  EXPECT_NE(decision_sentence(policy, {.strength_is_clear = false})
                .find("0.8 times as strong as the network's upper confidence limit would"),
            std::string::npos);
}

TEST(DecisionSentence, SaysWhereAnIntervalIsNotToBeReliedOn) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.unreliable = "effective sample size 12 in arm 'email', too few to rely on the interval";
  EXPECT_EQ(
      decision_sentence(policy, {}),
      "coupons: no verdict on the difference from the logged policy (0.4 to 1.4 more per unit): "
      "effective sample size 12 in arm 'email', too few to rely on the interval.");
}

TEST(DecisionSentence, SaysThatTheStrengthOfConfoundingWasSwitchedOff) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.verdict = ComparisonVerdict::kConditional;
  policy.sensitivity_gain_interval.reset();
  policy.overturning_strength.reset();
  EXPECT_NE(decision_sentence(policy, {}).find("could not measure"), std::string::npos);
  const std::string off = decision_sentence(policy, {.is_sensitivity_off = true});
  EXPECT_NE(off.find("was not measured (--no-sensitivity-interval)."), std::string::npos) << off;
}

TEST(DecisionText, HasBothTargetsWhereWidthsDifferByMoreThanATenthOrATruthIsKnown) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.value = 2;
  policy.interval = {1.0, 3.0};
  policy.other_target_interval = {1.05, 2.95};
  Decision decision{.target = Target::kPopulation, .policies = {policy}};
  EXPECT_EQ(decision_text(decision).find("for the sample"), std::string::npos);
  decision.policies[0].other_target_interval = {1.2, 2.8};
  const std::string both = decision_text(decision);
  EXPECT_NE(both.find("95 % CI  for the sample"), std::string::npos) << both;
  EXPECT_NE(both.find("[1.20, 2.80]"), std::string::npos) << both;
  decision.policies[0].other_target_interval = {1.05, 2.95};
  decision.policies[0].truth = 2;
  EXPECT_NE(decision_text(decision).find("for the sample"), std::string::npos);
  decision.target = Target::kSample;
  EXPECT_EQ(decision_text(decision).find("CI  for the population"), std::string::npos);
}

TEST(DecisionSentence, SaysWhereThereIsNoValidInterval) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.gain_interval.reset();
  EXPECT_NE(decision_sentence(policy, {}).find("no valid interval"), std::string::npos);
  policy.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(decision_sentence(policy, {}).find("no value"), std::string::npos);
}

TEST(BestSentence, NamesOneOnlyIfItIsSupported) {
  Decision decision;
  decision.policies = {policy_with_gain(0, 0), policy_with_gain(0.4, 1.4)};
  decision.policies[0].name = "logged";
  decision.policies[0].is_logged = true;
  decision.policies[0].may_be_best = false;
  EXPECT_EQ(best_sentence(decision),
            "Conditional on no unmeasured confounding the best policy is coupons.");
  for (DecidedPolicy& policy : decision.policies) policy.sensitivity_ranks = {1, 2};
  EXPECT_EQ(
      best_sentence(decision),
      "The best policy is one of: logged, coupons. Conditional on no unmeasured confounding the "
      "best policy is coupons.");
  decision.policies[0].sensitivity_may_be_best = false;
  decision.single_best = "coupons";
  EXPECT_EQ(best_sentence(decision), "The best policy is coupons.");
  decision.single_best.reset();
  decision.policies.push_back(policy_with_gain(2, 3));
  decision.policies[2].name = "letters";
  decision.policies[2].ranks.reset();  // no valid interval: it cannot be ruled out
  EXPECT_EQ(best_sentence(decision), "The best policy is one of: coupons, letters.");
  decision.policies[1].ranks.reset();
  EXPECT_EQ(best_sentence(decision), "") << "nothing was compared";
}

TEST(DecisionText, NamesAreHarmless) {
  Decision decision{.estimator = "network_dm"};
  decision.policies = {policy_with_gain(0.4, 1.4)};
  decision.policies[0].name = "evil\x1b[31m\n";
  EXPECT_EQ(decision_text(decision).find('\x1b'), std::string::npos);
}

TEST(DecisionText, StatesTheAverageEffectWhereBothPoliciesWereCompared) {
  Decision decision{.estimator = "network_dm"};
  DecidedPolicy none = policy_with_gain(-1.4, -0.4);
  none.name = "treat-none";
  DecidedPolicy all = policy_with_gain(0.4, 1.4);
  all.name = "treat-all";
  decision.policies = {none, all};
  EXPECT_EQ(effect_sentence(decision), "");
  PolicyDifference pair{.first = 0, .second = 1, .difference = -2, .interval = {-3, -1}};
  pair.sensitivity_interval = {-7, 3};
  pair.overturning_strength = 0.25;
  pair.verdict = ComparisonVerdict::kConditional;
  decision.differences = {pair};
  EXPECT_EQ(effect_sentence(decision),
            "treat-all: better than treat-none by 2 per unit (95 % CI 1 to 3), conditional on no "
            "unmeasured confounding; an unmeasured confounder 0.25 times as strong as the network "
            "would explain this away.");
  EXPECT_NE(decision_text(decision).find(effect_sentence(decision)), std::string::npos);
}

TEST(DecisionText, SaysWhereIntervalsAreExtendedByTheSmoothingBias) {
  Decision decision{.estimator = "network_dm"};
  decision.policies = {policy_with_gain(0.4, 1.4)};
  decision.policies[0].sampling_interval = decision.policies[0].interval;
  EXPECT_EQ(decision_text(decision).find("smoothing bias"), std::string::npos);
  decision.policies[0].interval->first -= 0.25;
  EXPECT_NE(decision_text(decision).find("by the estimated smoothing bias of the outcome model, at "
                                         "most 0.25 (coupons)."),
            std::string::npos);
}

}  // namespace
}  // namespace cone

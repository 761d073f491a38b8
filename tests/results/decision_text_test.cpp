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
  policy.sampling_interval = {10 + low, 10 + high};
  policy.sampling_gain_interval = {low, high};
  policy.ranks = {1, 2};
  return policy;
}

TEST(DecisionSentence, GivesTheGainOrLoss) {
  EXPECT_EQ(decision_sentence(policy_with_gain(0.4, 1.4), true),
            "coupons: worth 0.9 more per unit than the logged policy (0.4 to 1.4).");
  EXPECT_EQ(decision_sentence(policy_with_gain(-1.4, -0.4), true),
            "coupons: worth 0.9 less per unit than the logged policy (0.4 to 1.4).");
  EXPECT_EQ(decision_sentence(policy_with_gain(-0.2, 0.5), true),
            "coupons: no clear difference from the logged policy (0.2 less to 0.5 more per unit).");
}

TEST(DecisionSentence, SaysWhatWouldExplainItAway) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.sensitivity_gain_interval = {0.2, 1.6};
  policy.overturning_strength = 2;
  EXPECT_NE(decision_sentence(policy, true).find("2.0 times as strong as the network to"),
            std::string::npos);
  policy.sensitivity_gain_interval = {-0.1, 1.9};
  policy.overturning_strength = 0.8;
  EXPECT_NE(
      decision_sentence(policy, true).find("as strong as the network would explain this away"),
      std::string::npos);
}

TEST(DecisionSentence, NamesTheUpperConfidenceLimitWhereTheStrengthIsNotClear) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.sensitivity_gain_interval = {0.2, 1.6};
  policy.overturning_strength = 2;
  EXPECT_EQ(decision_sentence(policy, true).find("upper confidence limit"), std::string::npos);
  EXPECT_NE(decision_sentence(policy, false)
                .find("2.0 times as strong as the network's upper confidence limit to explain"),
            std::string::npos);
  policy.overturning_strength = 0.8;
  EXPECT_NE(decision_sentence(policy, false)
                .find(" An unmeasured confounder as strong as the network's upper confidence limit "
                      "would explain this away."),
            std::string::npos);
}

TEST(DecisionSentence, SaysWhereThereIsNoValidInterval) {
  DecidedPolicy policy = policy_with_gain(0.4, 1.4);
  policy.sampling_gain_interval.reset();
  EXPECT_NE(decision_sentence(policy, true).find("no valid interval"), std::string::npos);
  policy.value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(decision_sentence(policy, true).find("no value"), std::string::npos);
}

TEST(BestSentence, NamesAllThatMayBe) {
  Decision decision;
  decision.policies = {policy_with_gain(0, 0), policy_with_gain(0.4, 1.4)};
  decision.policies[0].name = "logged";
  decision.policies[0].is_logged = true;
  decision.policies[0].may_be_best = false;
  EXPECT_EQ(best_sentence(decision), "The best policy is coupons.");
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

}  // namespace
}  // namespace cone

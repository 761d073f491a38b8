#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "cone/output.hpp"

namespace cone {
namespace {

/// Two splits, three leaves, and a rule that is better than every single arm.
LearntPolicy small_policy() {
  LearntPolicy out;
  out.arms = {"control", "email"};
  out.costs = {{.label = "0"}, {.label = "1"}};
  out.columns = {"age", "neighbours' mean visits"};
  out.num_candidates = 5;
  out.arm.assign(100, 0);
  RuleNode root{.column = 0,
                .threshold = 41.5,
                .below = 41,
                .above = 42,
                .left = 1,
                .right = 2,
                .arm = 0,
                .num_nodes = 100};
  RuleNode leaf;
  leaf.arm = 1;
  leaf.num_nodes = 60;
  RuleNode second{.column = 1,
                  .threshold = 0.25,
                  .below = 0.2,
                  .above = 0.3,
                  .left = 3,
                  .right = 4,
                  .arm = 0,
                  .num_nodes = 40};
  RuleNode low = leaf;
  low.arm = 0;
  low.num_nodes = 30;
  RuleNode high = leaf;
  high.num_nodes = 10;
  out.tree.nodes = {root, leaf, second, low, high};
  out.rule = {
      .name = "learnt rule", .value = 3, .standard_error = 0.1, .sampling_interval = {2.8, 3.2}};
  out.logged = {.name = "logged",
                .value = 2,
                .gain = 1,
                .gain_error = 0.1,
                .sampling_gain_interval = {0.8, 1.2}};
  out.best_single = {.name = "best single arm",
                     .value = 2.5,
                     .gain = 0.5,
                     .gain_error = 0.1,
                     .sampling_gain_interval = {0.3, 0.7}};
  out.singles = {
      {.name = "always control", .value = 1, .gain = 2, .sampling_gain_interval = {1.8, 2.2}},
      {.name = "always email",
       .value = 2.5,
       .gain = 0.5,
       .gain_error = 0.1,
       .sampling_gain_interval = {0.3, 0.7}}};
  out.verdict = RuleVerdict::kBetter;
  out.in_sample_value = 3.4;
  return out;
}

TEST(PolicyOutput, TheTreeIsListedSplitBySplit) {
  EXPECT_EQ(rule_text(small_policy()),
            "age <= 41.5?\n"
            "  yes: assign email (60 nodes, 60.0 %)\n"
            "  no:  neighbours' mean visits <= 0.25?\n"
            "    yes: assign control (30 nodes, 30.0 %)\n"
            "    no:  assign email (10 nodes, 10.0 %)\n");
}

TEST(PolicyOutput, EveryVerdictHasItsSentence) {
  LearntPolicy policy = small_policy();
  LearnPolicyOptions options;
  const auto says = [&](const std::string& words) {
    return learnt_policy_text(policy, options).find(words) != std::string::npos;
  };
  EXPECT_TRUE(says("is better than any single arm, conditional on no unmeasured confounding."));
  EXPECT_TRUE(
      says("learnt rule: better than always email by 0.5 per unit (95 % CI 0.3 to 0.7), "
           "conditional on no unmeasured confounding"));
  EXPECT_TRUE(
      says("learnt rule: better than the logged policy by 1 per unit (95 % CI 0.8 to 1.2), "
           "conditional on no unmeasured confounding"));
  policy.is_randomised = true;
  for (RuleValue& single : policy.singles) single.verdict = ComparisonVerdict::kSupported;
  EXPECT_TRUE(says("is better than any single arm."));
  EXPECT_TRUE(says("(95 % CI 0.3 to 0.7), given that treatment was assigned at random."));
  EXPECT_TRUE(says("In-sample value of the rule: 3.4. It is biased upwards"));
  policy.verdict = RuleVerdict::kUnclear;
  EXPECT_TRUE(says("is not shown to be better than a single arm"));
  policy.verdict = RuleVerdict::kWorse;
  EXPECT_TRUE(says("is WORSE than a single arm"));
  policy.tree.nodes = {policy.tree.nodes[1]};
  policy.verdict = RuleVerdict::kSingleArm;
  EXPECT_TRUE(says("No split improves the value: the best tree assigns arm email to every unit"));
  EXPECT_FALSE(says("In-sample value"));
}

TEST(PolicyOutput, BeginsWithTheDirectionAndObeysIt) {
  LearntPolicy policy = small_policy();
  policy.outcome = "churn";
  LearnPolicyOptions options;
  EXPECT_TRUE(learnt_policy_text(policy, options).starts_with("Rule (churn, higher is better), "));
  options.direction.lower_is_better = true;
  const std::string text = learnt_policy_text(policy, options);
  EXPECT_TRUE(text.starts_with("Rule (churn, lower is better), learnt from all ")) << text;
  EXPECT_NE(text.find("learnt rule: worse than the logged policy, higher by 1 per unit"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("biased downwards"), std::string::npos) << text;
  const auto json = learnt_policy_json({}, policy, options, 3);
  EXPECT_EQ(json["outcome"], "churn");
  EXPECT_EQ(json["lower_is_better"], true);
}

TEST(PolicyOutput, ShowsNoErrorWhereNoneIsValid) {
  LearntPolicy policy = small_policy();
  constexpr double kAbsent = std::numeric_limits<double>::quiet_NaN();
  policy.verdict = RuleVerdict::kUnclear;
  policy.singles[1].gain_error = kAbsent;
  policy.singles[1].sampling_gain_interval = {kAbsent, kAbsent};
  const std::string text = learnt_policy_text(policy, {});
  EXPECT_NE(text.find("learnt rule: 0.5 higher per unit than always email, with no valid interval"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("nan"), std::string::npos);
  const auto json = learnt_policy_json({}, policy, {}, 3);
  EXPECT_TRUE(json["comparisons"][3]["gain_standard_error"].is_null());
  EXPECT_EQ(json["config"]["seed"], 3);
  EXPECT_EQ(json["tree"]["no"]["yes"]["arm"], "control");
  EXPECT_EQ(json["tree"]["no"]["column"], "neighbours' mean visits");
}

TEST(PolicyOutput, ThresholdsHaveAsManyDigitsAsTheyNeed) {
  EXPECT_EQ(threshold_text({.threshold = 41.5, .below = 41, .above = 42}), "41.5");
  EXPECT_EQ(threshold_text({.threshold = 1.0 / 3, .below = 0.1, .above = 0.5}), "0.3333");
  EXPECT_EQ(threshold_text({.threshold = 123456.5, .below = 123456, .above = 123457}), "123456");
  EXPECT_EQ(threshold_text({.threshold = 1e6, .below = 9e5, .above = 2e6}), "1000000");
  const double next = std::nextafter(0.1, 1.0);
  const std::string text = threshold_text({.threshold = 0.1, .below = 0.1, .above = next});
  EXPECT_GE(std::stod(text), 0.1);
  EXPECT_LT(std::stod(text), next);
}

TEST(PolicyOutput, ThePictureIsTheSameBytesAndEscapesNames) {
  LearntPolicy policy = small_policy();
  policy.columns[0] = "a<b>&\"c\"\x01";
  const std::string svg = rule_svg(policy);
  EXPECT_EQ(svg, rule_svg(policy));
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;&quot;c&quot;"), std::string::npos);
  EXPECT_EQ(svg.find("a<b>"), std::string::npos);
  EXPECT_EQ(svg.find('\x01'), std::string::npos);
  EXPECT_NE(svg.find("30 nodes (30.0 %)"), std::string::npos);
}

}  // namespace
}  // namespace cone

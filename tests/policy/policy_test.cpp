#include "cone/policy.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// A triangle 0-1-2 and an isolated node 3, two features.
Dataset small_dataset() {
  Dataset data;
  data.ids = IdTable::numbered(4);
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {0, 2}};
  data.graph = build_graph(Context({.threads = 1}), 4, edges);
  data.features.matrix = testing::sparse_from_rows({{1, 0}, {0, 2}, {3, 1}, {0, 0}});
  data.features.names = {"age", "visits"};
  return data;
}

std::vector<double> treated(const Policy& policy, const Context& context, const Dataset& data) {
  return arm_column(policy.probabilities(context, data.features, data.graph).view(), 1);
}

TEST(LinearPolicy, AddsTheMeanOverNeighbours) {
  const Dataset data = small_dataset();
  const auto policy = linear_policy({.intercept = 0.5, .feature = {1, 0}, .neighbour = {0, 2}});
  const auto p = treated(*policy, Context({.threads = 1}), data);
  EXPECT_NEAR(p[0], sigmoid(0.5 + 1 + 2 * (2 + 1) / 2.0), 1e-15);
  EXPECT_NEAR(p[3], sigmoid(0.5), 1e-15);  // no neighbours, no features
}

TEST(RandomWeightsPolicy, DependsOnTheSeedAndNotOnThreads) {
  const Dataset data = small_dataset();
  const auto p = [&](std::uint64_t seed, int threads) {
    return treated(*random_weights_policy(seed), Context({.seed = 9, .threads = threads}), data);
  };
  EXPECT_EQ(p(1, 1), p(1, 3));
  bool any_differs = false;
  for (std::uint64_t seed = 2; seed < 8; ++seed) any_differs |= p(seed, 1) != p(1, 1);
  EXPECT_TRUE(any_differs);
  EXPECT_EQ(p(1, 1)[3], 0.5);
}

TEST(Specifications, KnowTheBuiltInNames) {
  const std::vector<std::string> names = {"treat-all", "treat-none", "uniform"};
  const auto policies = resolve_policies(Context({.threads = 1}), small_dataset(), names);
  ASSERT_EQ(policies.size(), 3U);
  EXPECT_EQ(arm_column(policies[0].probability.view(), 1), std::vector<double>(4, 1.0));
  EXPECT_EQ(arm_column(policies[1].probability.view(), 1), std::vector<double>(4, 0.0));
  EXPECT_EQ(arm_column(policies[2].probability.view(), 1), std::vector<double>(4, 0.5));
}

Dataset three_arms() {
  Dataset data = small_dataset();
  data.arms = {"control", "email", "sms"};
  return data;
}

std::vector<PolicyOnData> resolve(const Dataset& data, std::vector<std::string> names) {
  return resolve_policies(Context({.threads = 2}), data, names);
}

std::string message(const Dataset& data, const std::string& name) {
  try {
    resolve(data, {name});
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Specifications, GiveEveryArmItsProbability) {
  const auto policies = resolve(three_arms(), {"always:SMS", "uniform", "random-weights:3"});
  EXPECT_EQ(arm_column(policies[0].probability.view(), 2), std::vector<double>(4, 1.0));
  EXPECT_EQ(arm_column(policies[0].probability.view(), 0), std::vector<double>(4, 0.0));
  EXPECT_EQ(arm_column(policies[1].probability.view(), 1), std::vector<double>(4, 1.0 / 3));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto row = policies[2].probability.row(i);
    EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-15);
    if (i == 3) {
      EXPECT_NEAR(row[0], 1.0 / 3, 1e-15);  // no features, no neighbours
    }
  }
  EXPECT_EQ(arm_column(resolve(small_dataset(), {"always:0"})[0].probability.view(), 0),
            std::vector<double>(4, 1.0));
}

TEST(Specifications, MoreArmsDoNotMoveTheFirstLogit) {
  const Matrix<double> two = resolve(small_dataset(), {"random-weights:5"})[0].probability;
  const Matrix<double> three = resolve(three_arms(), {"random-weights:5"})[0].probability;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::log(two(i, 1) / two(i, 0)), std::log(three(i, 1) / three(i, 0)), 1e-12);
  }
}

TEST(Specifications, PoliciesForTwoArmsSuggestAnAlternative) {
  EXPECT_EQ(message(three_arms(), "treat-all"),
            "treat-all: is defined for two arms, but the data has 3: 'control', 'email', 'sms'; "
            "use always:LABEL to assign one arm to all nodes");
  EXPECT_NE(message(three_arms(), "linear:weights.csv").find("name:LABEL"), std::string::npos);
  EXPECT_EQ(message(three_arms(), "always:emial"),
            "always:emial: the data has no arm 'emial'; did you mean always:email?");
  EXPECT_NE(message(three_arms(), "always:post").find("the arms are 'control', 'email', 'sms'"),
            std::string::npos);
}

TEST(Specifications, ListEveryFaultWithASuggestion) {
  const std::vector<std::string> names = {"treat-al", "random-weights:x", "uniform", "uniform"};
  try {
    resolve_policies(Context({.threads = 1}), small_dataset(), names);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_NE(error.faults()[0].to_string().find("did you mean treat-all?"), std::string::npos);
    EXPECT_NE(error.faults()[1].to_string().find("whole number"), std::string::npos);
    EXPECT_NE(error.faults()[2].to_string().find("two policies are named"), std::string::npos);
  }
}

TEST(BuiltinNames, AreRefusedWhereThePolicyDiffers) {
  const Context context({.threads = 1});
  const Dataset data = small_dataset();
  PolicyOnData policy{"treat-all", two_arm_probabilities(std::vector<double>{1, 1, 0.25, 1})};
  try {
    refuse_builtin_name(context, data, policy);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(),
                 "treat-all: is the name of a built-in policy, but this one differs: '2' receives "
                 "arm '0' with probability 0.75 instead of 0; choose another name");
  }
  policy.probability = two_arm_probabilities(std::vector<double>(4, 1.0));
  EXPECT_NO_THROW(refuse_builtin_name(context, data, policy));
}

TEST(BuiltinNames, CoverEveryPolicyThatIsDefinedForTheData) {
  const Context context({.threads = 1});
  const auto is_refused = [&](const Dataset& data, const std::string& name) {
    PolicyOnData policy{name, Matrix<double>(4, data.num_arms())};
    for (std::size_t i = 0; i < 4; ++i) policy.probability(i, i % data.num_arms()) = 1;
    try {
      refuse_builtin_name(context, data, policy);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  for (const std::string name : {"treat-none", "uniform", "always:1", "random-weights:3"}) {
    EXPECT_TRUE(is_refused(small_dataset(), name)) << name;
  }
  EXPECT_TRUE(is_refused(three_arms(), "always:sms"));
  for (const std::string name : {"mine", "always:post", "treat-all", "linear:weights.csv"}) {
    EXPECT_FALSE(is_refused(three_arms(), name)) << name;
  }
}

}  // namespace
}  // namespace cone

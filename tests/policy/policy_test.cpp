#include "policy/policy.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/numeric.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// A triangle 0-1-2 and an isolated node 3, two features.
Dataset small_dataset() {
  Dataset data;
  data.ids = IdTable::numbered(4);
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {0, 2}};
  data.graph = build_graph(Context(0, 1), 4, edges);
  data.features.matrix = testing::sparse_from_rows({{1, 0}, {0, 2}, {3, 1}, {0, 0}});
  data.features.names = {"age", "visits"};
  return data;
}

TEST(LinearPolicy, AddsTheMeanOverNeighbours) {
  const Dataset data = small_dataset();
  const auto policy = linear_policy({.intercept = 0.5, .feature = {1, 0}, .neighbour = {0, 2}});
  const auto p = policy->treat_probabilities(Context(0, 1), data.features, data.graph);
  EXPECT_NEAR(p[0], sigmoid(0.5 + 1 + 2 * (2 + 1) / 2.0), 1e-15);
  EXPECT_NEAR(p[3], sigmoid(0.5), 1e-15);  // no neighbours, no features
}

TEST(RandomWeightsPolicy, DependsOnTheSeedAndNotOnThreads) {
  const Dataset data = small_dataset();
  const auto p = [&](std::uint64_t seed, int threads) {
    return random_weights_policy(seed)->treat_probabilities(Context(9, threads), data.features,
                                                            data.graph);
  };
  EXPECT_EQ(p(1, 1), p(1, 3));
  bool any_differs = false;
  for (std::uint64_t seed = 2; seed < 8; ++seed) any_differs |= p(seed, 1) != p(1, 1);
  EXPECT_TRUE(any_differs);
  EXPECT_EQ(p(1, 1)[3], 0.5);
}

TEST(Specifications, KnowTheBuiltInNames) {
  const std::vector<std::string> names = {"treat-all", "treat-none", "uniform"};
  const auto policies = resolve_policies(Context(0, 1), small_dataset(), names);
  ASSERT_EQ(policies.size(), 3U);
  EXPECT_EQ(arm_column(policies[0].probability.view(), 1), std::vector<double>(4, 1.0));
  EXPECT_EQ(arm_column(policies[1].probability.view(), 1), std::vector<double>(4, 0.0));
  EXPECT_EQ(arm_column(policies[2].probability.view(), 1), std::vector<double>(4, 0.5));
}

TEST(Specifications, ListEveryFaultWithASuggestion) {
  const std::vector<std::string> names = {"treat-al", "random-weights:x", "uniform", "uniform"};
  try {
    resolve_policies(Context(0, 1), small_dataset(), names);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    ASSERT_EQ(error.faults().size(), 3U);
    EXPECT_NE(error.faults()[0].to_string().find("did you mean treat-all?"), std::string::npos);
    EXPECT_NE(error.faults()[1].to_string().find("whole number"), std::string::npos);
    EXPECT_NE(error.faults()[2].to_string().find("two policies are named"), std::string::npos);
  }
}

}  // namespace
}  // namespace cone

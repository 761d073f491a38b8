#include <gtest/gtest.h>

#include "cone/dataset.hpp"

#include "policy/random_weights.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

TEST(SemiSyntheticFixture, RandomWeightPolicyAndTrueValueMatch) {
  const nlohmann::json fixture = testing::read_fixture("semi_synthetic.json");
  const Context context({.threads = 1});
  FeatureTable features;
  features.matrix = testing::sparse_from_rows(fixture["features"]);
  std::vector<Edge> edges;
  for (const auto& edge : fixture["edges"]) edges.push_back({edge[0], edge[1]});
  const Graph graph = build_graph(context, fixture["num_nodes"], edges);
  const SignWeights weights{testing::vector_of(fixture["psi"]),
                            testing::vector_of(fixture["delta"])};

  const auto policy = sign_weight_probabilities(context, features, graph, std::vector{weights});

  const auto expected = testing::vector_of(fixture["policy_treated"]);
  ASSERT_EQ(policy.rows(), expected.size());
  for (std::size_t i = 0; i < policy.rows(); ++i) EXPECT_NEAR(policy(i, 1), expected[i], 1e-9);
  const Truth truth(join_arms(std::vector{testing::vector_of(fixture["outcome_0"]),
                                          testing::vector_of(fixture["outcome_1"])}));
  EXPECT_NEAR(truth.value(policy.view()), fixture["true_utility"].get<double>(), 1e-9);
}

}  // namespace
}  // namespace cone

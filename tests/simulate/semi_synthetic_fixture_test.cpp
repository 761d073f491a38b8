#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"
#include "support/fixture.hpp"

namespace cone {
namespace {

TEST(SemiSyntheticFixture, PropensitiesAndOutcomesMatchTheReference) {
  const nlohmann::json fixture = testing::read_fixture("semi_synthetic.json");
  const auto num_nodes = fixture["num_nodes"].get<std::size_t>();
  const Context context({.threads = 2});

  std::vector<Edge> edges;
  std::map<std::pair<NodeIndex, NodeIndex>, double> weight;
  for (std::size_t e = 0; e < fixture["edges"].size(); ++e) {
    const auto ends = testing::vector_of<NodeIndex>(fixture["edges"][e]);
    edges.push_back({ends[0], ends[1]});
    weight[std::minmax(ends[0], ends[1])] = fixture["edge_weights"][e].get<double>();
  }
  const Graph graph = build_graph(context, num_nodes, edges);
  ASSERT_EQ(graph.num_edges(), weight.size());

  HiddenState hidden;
  hidden.centroids = {fixture["centroid_node"].get<NodeIndex>()};
  for (const auto& entry : weight) hidden.edge_weights.push_back(entry.second);

  Matrix<double> topics(num_nodes, fixture["topics"][0].size());
  for (std::size_t i = 0; i < num_nodes; ++i) {
    std::ranges::copy(testing::vector_of(fixture["topics"][i]), topics.row(i).begin());
  }
  OutcomeOptions options;
  options.kappa1 = fixture["kappa1"].get<double>();
  options.kappa2 = fixture["kappa2"].get<double>();

  const ArmValues scores = arm_scores(context, graph, topics.view(), hidden, options);
  const Matrix<double> propensity = logging_propensity(scores);
  const ArmValues outcomes = standardised_outcomes(scores, testing::vector_of(fixture["noise"]));
  const std::vector<double> expected_propensity = testing::vector_of(fixture["propensity"]);
  const std::vector<double> expected_control = testing::vector_of(fixture["outcome_0"]);
  const std::vector<double> expected_treated = testing::vector_of(fixture["outcome_1"]);
  ASSERT_EQ(expected_propensity.size(), num_nodes);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    EXPECT_NEAR(propensity(i, 1), expected_propensity[i], 1e-12) << i;
    EXPECT_NEAR(outcomes[0][i], expected_control[i], 1e-12) << i;
    EXPECT_NEAR(outcomes[1][i], expected_treated[i], 1e-12) << i;
  }
}

}  // namespace
}  // namespace cone

#include "diagnostics/balance.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

constexpr std::size_t kBalanceNodes = 4000;

/// Numeric features x0 and x1 on a ring with chords, and treatments drawn from the propensities.
struct LoggedWorld {
  std::vector<std::vector<double>> rows;
  Dataset data;
  Matrix<double> e;

  LoggedSample sample() const {
    std::vector<NodeIndex> nodes;
    for (NodeIndex i = 0; i < kBalanceNodes; ++i) nodes.push_back(i);
    return take_sample(data, nodes);
  }
  std::vector<ArmBalance> balance(const Matrix<double>& propensity) const {
    return measure_balance(Context({.threads = 2}), data.features, Neighbourhood(data.graph),
                           sample(), propensity.view());
  }
};

enum class Confounder { kOwn, kNeighbours };

LoggedWorld make_logged_world(Confounder confounder) {
  LoggedWorld world;
  Dataset& data = world.data;
  data.ids = IdTable::numbered(kBalanceNodes);
  std::vector<Edge> edges;
  Rng rng(3, Stream::kTest);
  for (std::size_t i = 0; i < kBalanceNodes; ++i) {
    world.rows.push_back({rng.normal(), rng.normal()});
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % kBalanceNodes)});
    if (i % 3 == 0) {
      edges.push_back(
          {static_cast<NodeIndex>(i), static_cast<NodeIndex>((i * 7 + 5) % kBalanceNodes)});
    }
  }
  data.graph = build_graph(Context({.threads = 1}), kBalanceNodes, edges);
  data.features = {testing::sparse_from_rows(world.rows), {"x0", "x1"}, 2};
  std::vector<double> treated;
  for (std::size_t i = 0; i < kBalanceNodes; ++i) {
    double confounder_value = world.rows[i][0];
    if (confounder == Confounder::kNeighbours) {
      const auto neighbours = data.graph.neighbours(static_cast<NodeIndex>(i));
      confounder_value = 0;
      for (const NodeIndex j : neighbours) confounder_value += world.rows[j][0];
      confounder_value /= std::sqrt(static_cast<double>(neighbours.size()));
    }
    treated.push_back(sigmoid(confounder_value));
    data.treatment.push_back(rng.bernoulli(treated.back()) ? 1 : 0);
    data.outcome.push_back(rng.normal());
  }
  world.e = two_arm_probabilities(treated);
  return world;
}

Matrix<double> even_propensity() {
  return two_arm_probabilities(std::vector<double>(kBalanceNodes, 0.5));
}

const ColumnBalance& find_column(const ArmBalance& arm, const std::string& name,
                                 const std::string& of) {
  for (const ColumnBalance& column : arm.columns) {
    if (column.name == name && column.of == of) return column;
  }
  throw std::runtime_error("no column " + name);
}

TEST(Balance, IsTheStandardisedMeanDifference) {
  const LoggedWorld world = make_logged_world(Confounder::kOwn);
  const ColumnBalance found = find_column(world.balance(world.e)[1], "x0", "own");
  std::vector<double> all;
  std::vector<double> treated;
  double weighted = 0;
  double weight = 0;
  for (std::size_t i = 0; i < kBalanceNodes; ++i) {
    all.push_back(world.rows[i][0]);
    if (world.data.treatment[i] == 0) continue;
    treated.push_back(all.back());
    weighted += all.back() / world.e(i, 1);
    weight += 1 / world.e(i, 1);
  }
  const double sd = std::sqrt(variance(all, 0));
  EXPECT_NEAR(found.before, (mean(treated) - mean(all)) / sd, 1e-12);
  EXPECT_NEAR(found.after, (weighted / weight - mean(all)) / sd, 1e-12);
}

TEST(Balance, WeightingByCorrectPropensitiesRemovesAnImbalance) {
  const LoggedWorld world = make_logged_world(Confounder::kOwn);
  for (const ArmBalance& arm : world.balance(world.e)) {
    EXPECT_GT(arm.largest_before, 0.3);
    EXPECT_LT(arm.largest_after, 0.1);
    EXPECT_FALSE(arm.verdict.is_caution) << arm.verdict.sentence;
    for (const ColumnBalance& column : arm.columns) {
      EXPECT_LT(std::abs(column.after), 4 * column.error) << column.name << column.of;
    }
  }
}

TEST(Balance, ConstantPropensitiesLeaveAnImbalanceAndItIsACaution) {
  const LoggedWorld world = make_logged_world(Confounder::kOwn);
  for (const ArmBalance& arm : world.balance(even_propensity())) {
    EXPECT_DOUBLE_EQ(arm.largest_before, arm.largest_after);
    EXPECT_TRUE(arm.verdict.is_caution);
    EXPECT_NE(arm.verdict.sentence.find("'x0' under"), std::string::npos) << arm.verdict.sentence;
  }
}

TEST(Balance, DetectsConfoundingByNeighboursThatNoOwnFeatureShows) {
  const LoggedWorld world = make_logged_world(Confounder::kNeighbours);
  for (const ArmBalance& arm : world.balance(even_propensity())) {
    EXPECT_LT(std::abs(find_column(arm, "x0", "own").after), 0.1);
    EXPECT_GT(std::abs(find_column(arm, "x0", "neighbours").after), 0.3);
    EXPECT_LT(std::abs(find_column(arm, "x1", "neighbours").after), 0.1);
    EXPECT_TRUE(arm.verdict.is_caution);
    EXPECT_NE(arm.verdict.sentence.find("'x0' averaged over neighbours"), std::string::npos)
        << arm.verdict.sentence;
  }
  for (const ArmBalance& arm : world.balance(world.e)) EXPECT_FALSE(arm.verdict.is_caution);
}

TEST(Balance, IsUnchangedByTheUnitAndTheZeroOfAFeature) {
  LoggedWorld world = make_logged_world(Confounder::kOwn);
  const std::vector<ArmBalance> before = world.balance(world.e);
  for (auto& row : world.rows) row[0] = 1990 - 6e-3 * row[0];
  world.data.features.matrix = testing::sparse_from_rows(world.rows);
  const std::vector<ArmBalance> after = world.balance(world.e);
  for (std::size_t a = 0; a < 2; ++a) {
    for (const char* of : {"own", "neighbours"}) {
      const ColumnBalance& one = find_column(before[a], "x0", of);
      const ColumnBalance& other = find_column(after[a], "x0", of);
      EXPECT_NEAR(one.before, -other.before, 1e-8);
      EXPECT_NEAR(one.after, -other.after, 1e-8);
      EXPECT_NEAR(one.error, other.error, 1e-8);
    }
  }
}

TEST(Balance, NodesWithoutNeighboursCountForOwnFeaturesOnly) {
  LoggedWorld world = make_logged_world(Confounder::kOwn);
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < kBalanceNodes; ++i) {
    if (world.data.treatment[i] == 1)
      edges.push_back({i, static_cast<NodeIndex>((i + 1) % kBalanceNodes)});
  }
  // Every treated node has a neighbour; those whose neighbours on the ring are untreated have none.
  world.data.graph = build_graph(Context({.threads = 1}), kBalanceNodes, edges);
  const std::vector<ArmBalance> found = world.balance(world.e);
  EXPECT_EQ(found[0].columns.size(), 5U);
  EXPECT_GT(find_column(found[1], "", "degree").before, 0.1);
  world.data.graph = build_graph(Context({.threads = 1}), kBalanceNodes, {});
  EXPECT_EQ(world.balance(world.e)[0].columns.size(), 2U);
}

TEST(Balance, ShowsTheFeaturesThatDifferMostAndNoConstants) {
  LoggedWorld world = make_logged_world(Confounder::kOwn);
  for (std::size_t i = 0; i < kBalanceNodes; ++i) {
    Rng rng(4, Stream::kTest, i);
    std::vector<double>& row = world.rows[i];
    const double confounder_value = row[0];
    row.assign(60, 0.0);
    for (std::size_t j = 0; j < 59; ++j) row[j] = rng.normal();
    row[58] = confounder_value;
    row[59] = 7;  // a constant
    for (std::size_t count = 0; count < 30; ++count) row.push_back(rng.bernoulli(0.2) ? 1 : 0);
    row.back() = confounder_value > 1 ? 1 : 0;
  }
  world.data.features = {testing::sparse_from_rows(world.rows), {}, 60};
  for (std::size_t j = 0; j < 90; ++j) {
    world.data.features.names.push_back("f" + std::to_string(j));
  }
  for (const ArmBalance& arm : world.balance(world.e)) {
    EXPECT_EQ(arm.columns.size(), 2 * (50 + 20) + 1U);
    EXPECT_EQ(arm.columns[0].name, "f58");
    EXPECT_EQ(arm.columns[50].name, "f89");
    EXPECT_THROW(find_column(arm, "f59", "own"), std::runtime_error);
  }
}

}  // namespace
}  // namespace cone

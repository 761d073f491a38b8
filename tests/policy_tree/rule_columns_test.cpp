#include "policy_tree/rule_columns.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "policy_tree/screen_columns.hpp"

namespace cone::testing {
namespace {

/// Four nodes: 0 is linked to 1 and 2, 3 is isolated. One numeric and one count feature.
Dataset four_nodes() {
  Dataset data;
  data.ids = IdTable::numbered(4);
  data.graph = build_graph(Context({.threads = 1}), 4, std::vector<Edge>{{0, 1}, {0, 2}});
  Matrix<double> age(4, 1);
  for (std::size_t i = 0; i < 4; ++i) age(i, 0) = 10.1 * static_cast<double>(i + 1);
  data.features.matrix =
      FeatureMatrix({0}, std::move(age), SparseMatrix(2, {0, 0, 1, 1, 2}, {1, 1}, {3, -1}));
  data.features.names = {"age", "w"};
  data.features.num_dense = 1;
  return data;
}

std::vector<double> values_of(const RuleColumns& columns, std::size_t column) {
  std::vector<double> values(4);
  columns.fill(column, values);
  return values;
}

TEST(RuleColumns, AreFeaturesTheDegreeAndMeansOverNeighbours) {
  const Dataset data = four_nodes();
  const RuleColumns columns(data, {});
  ASSERT_EQ(columns.size(), 5U);
  EXPECT_EQ(columns.name(0), "age");
  EXPECT_EQ(columns.name(1), "w");
  EXPECT_EQ(columns.name(2), "degree");
  EXPECT_EQ(columns.name(3), "neighbours' mean age");
  EXPECT_EQ(columns.name(4), "neighbours' mean w");
  EXPECT_EQ(values_of(columns, 1), (std::vector<double>{0, 3, 0, -1}));
  EXPECT_EQ(values_of(columns, 2), (std::vector<double>{2, 1, 1, 0}));
  const std::vector<double> means = values_of(columns, 3);
  EXPECT_NEAR(means[0], (20.2 + 30.3) / 2, 1e-12);
  EXPECT_NEAR(means[1], 10.1, 1e-12);
  EXPECT_EQ(means[1], means[2]);
  EXPECT_EQ(means[3], 0);
  EXPECT_EQ(values_of(columns, 4), (std::vector<double>{1.5, 0, 0, 0}));
}

TEST(RuleColumns, KindsCanBeChosenAndDataWithoutEdgesHasFeaturesOnly) {
  Dataset data = four_nodes();
  const std::vector<std::string> kinds = {"degree"};
  EXPECT_EQ(RuleColumns(data, kinds).size(), 1U);
  data.graph = build_graph(Context({.threads = 1}), 4, {});
  EXPECT_EQ(RuleColumns(data, {}).size(), 2U);
  EXPECT_EQ(RuleColumns(data, kinds).size(), 0U);
}

/// 300 rare count features, one of which modifies the treatment effect.
struct ScreeningCase {
  Dataset data;
  TrainingScores training;
};

ScreeningCase draw_screening(std::uint32_t useful, std::size_t num_arms) {
  constexpr std::size_t kNodes = 400;
  constexpr std::uint32_t kFeatures = 300;
  Rng rng(19, Stream::kTest, useful);
  ScreeningCase out;
  out.data.ids = IdTable::numbered(kNodes);
  out.data.graph = build_graph(Context({.threads = 1}), kNodes, {});
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  out.training.scores = Matrix<double>(kNodes, num_arms);
  for (std::size_t i = 0; i < kNodes; ++i) {
    bool has_it = false;
    for (std::uint32_t w = 0; w < kFeatures; ++w) {
      if (!rng.bernoulli(0.05)) continue;
      columns.push_back(w);
      values.push_back(1 + static_cast<double>(rng.below(3)));
      has_it = has_it || w == useful;
    }
    offsets.push_back(columns.size());
    out.training.nodes.push_back(static_cast<NodeIndex>(i));
    for (std::size_t a = 0; a < num_arms; ++a) out.training.scores(i, a) = rng.normal();
    out.training.scores(i, num_arms - 1) += has_it ? 3 : 0;
  }
  out.data.features.matrix =
      SparseMatrix(kFeatures, std::move(offsets), std::move(columns), std::move(values));
  for (std::uint32_t w = 0; w < kFeatures; ++w) {
    out.data.features.names.push_back("w" + std::to_string(w));
  }
  return out;
}

TEST(ScreenColumns, FindsTheEffectModifierAmongMany) {
  for (const std::size_t num_arms : {2U, 3U}) {
    const ScreeningCase of = draw_screening(170, num_arms);
    const RuleColumns columns(of.data, {});
    for (const std::size_t most : {1U, 10U}) {
      const auto chosen =
          screen_columns(Context({.threads = 2}), columns, 400, {&of.training, 1}, most);
      ASSERT_EQ(chosen.size(), 1U);
      EXPECT_EQ(chosen[0].size(), most);
      EXPECT_TRUE(std::is_sorted(chosen[0].begin(), chosen[0].end()));
      EXPECT_EQ(std::count(chosen[0].begin(), chosen[0].end(), 170U), 1);
    }
  }
}

TEST(ScreenColumns, DependsNeitherOnScaleNorOnScoresOutsideTheTrainingSet) {
  ScreeningCase of = draw_screening(20, 2);
  const RuleColumns columns(of.data, {});
  const auto first = screen_columns(Context({.threads = 1}), columns, 400, {&of.training, 1}, 5);
  // Half of the units, with other scores, as a second training set.
  TrainingScores half;
  for (NodeIndex i = 0; i < 200; ++i) half.nodes.push_back(i);
  half.scores = Matrix<double>(200, 2);
  for (std::size_t i = 0; i < 200; ++i) half.scores(i, 1) = of.training.scores(i, 1) * 1e-6;
  const std::vector<TrainingScores> sets = {of.training, half};
  const auto both = screen_columns(Context({.threads = 1}), columns, 400, sets, 5);
  EXPECT_EQ(both[0], first[0]);
  const auto alone = screen_columns(Context({.threads = 1}), columns, 400, {&half, 1}, 5);
  EXPECT_EQ(both[1], alone[0]);
  Dataset scaled = of.data;
  std::vector<double> factor(300, 1e9);
  scaled.features.matrix = of.data.features.matrix.scale_columns(factor);
  const RuleColumns other(scaled, {});
  EXPECT_EQ(screen_columns(Context({.threads = 1}), other, 400, {&of.training, 1}, 5)[0], first[0]);
}

TEST(ScreenColumns, OppositeIndicatorsTieAndTheEarlierStays) {
  Dataset data;
  data.ids = IdTable::numbered(60);
  data.graph = build_graph(Context({.threads = 1}), 60, {});
  Matrix<double> x(60, 3);
  TrainingScores training;
  training.scores = Matrix<double>(60, 2);
  Rng rng(1, Stream::kTest, 7);
  for (std::size_t i = 0; i < 60; ++i) {
    const bool yes = rng.bernoulli(0.3);
    x(i, 0) = 5;  // constant
    x(i, 1) = yes ? 1 : 0;
    x(i, 2) = yes ? 0 : 1;
    training.nodes.push_back(static_cast<NodeIndex>(i));
    training.scores(i, 1) = rng.normal() / 3;
  }
  data.features.matrix = FeatureMatrix(std::move(x));
  data.features.names = {"c", "yes", "no"};
  const RuleColumns columns(data, {});
  const auto one = screen_columns(Context({.threads = 1}), columns, 60, {&training, 1}, 1);
  EXPECT_EQ(one[0], (std::vector<std::size_t>{1}));
  const auto all = screen_columns(Context({.threads = 1}), columns, 60, {&training, 1}, 50);
  EXPECT_EQ(all[0], (std::vector<std::size_t>{1, 2}));
}

}  // namespace
}  // namespace cone::testing

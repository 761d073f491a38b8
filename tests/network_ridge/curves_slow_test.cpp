// A threshold in one of ten columns drives treatment and outcome: a kernel over all columns hardly
// fits it, the curves of single columns do. scripts/curves_study.py has more such worlds.

#include <gtest/gtest.h>

#include "network_ridge/ridge_world.hpp"

namespace cone {
namespace {

/// Ten columns, no network; the value of treating all nodes is that of the step, plus 0.5.
struct ThresholdWorld {
  Dataset data;
  double treat_all = 0;
};

ThresholdWorld threshold_world(std::uint64_t item) {
  constexpr std::size_t kNodes = 700;
  constexpr std::size_t kColumns = 10;
  ThresholdWorld world;
  Dataset& data = world.data;
  data.ids = IdTable::numbered(kNodes);
  data.graph = build_graph(Context({.threads = 1}), kNodes, {});
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i < kNodes; ++i) {
    Rng rng(73 + item, Stream::kTest, i);
    std::vector<double>& row = rows.emplace_back();
    for (std::size_t c = 0; c < kColumns; ++c) row.push_back(rng.normal());
    const double step = row[0] > 0.3 ? 2 : 0;
    const bool treated = rng.bernoulli(sigmoid(1.2 * (step - 0.75)));
    data.treatment.push_back(treated ? 1 : 0);
    data.outcome.push_back(step + (treated ? 0.5 : 0) + 0.5 * rng.normal());
    world.treat_all += (step + 0.5) / kNodes;
  }
  data.features.num_dense = kColumns;
  for (std::size_t c = 0; c < kColumns; ++c) data.features.names.push_back(std::to_string(c));
  data.features.matrix = testing::sparse_from_rows(rows);
  return world;
}

TEST(Curves, FindAThresholdInOneOfTenColumns) {
  constexpr std::uint64_t kWorlds = 6;
  double with = 0;
  double without = 0;
  for (std::uint64_t item = 0; item < kWorlds; ++item) {
    const ThresholdWorld world = threshold_world(item);
    const FitPlan plan = cross_fit_plan(world.data, 5, 2, 1);
    Matrix<double> treat_all(world.data.num_nodes(), 2);
    for (std::size_t i = 0; i < world.data.num_nodes(); ++i) treat_all(i, 1) = 1;
    NetworkRidgeOptions options;
    with += testing::answer(world.data, plan, options).value(treat_all, plan) - world.treat_all;
    options.ridge_groups = {"own",
                            "smooth",
                            "neighbour_sums",
                            "neighbour_effects",
                            "neighbour_means",
                            "mean_neighbour_effects"};
    without += testing::answer(world.data, plan, options).value(treat_all, plan) - world.treat_all;
  }
  EXPECT_GT(without / kWorlds, 0.12);
  EXPECT_LT(std::abs(with / kWorlds), 0.05);
}

}  // namespace
}  // namespace cone

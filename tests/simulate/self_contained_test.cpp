#include "simulate/self_contained.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "simulate/simulated_worlds.hpp"

namespace cone {
namespace {

using testing::correlation;

LoadedData simulate_world(World world, std::uint64_t simulation, int threads = 1) {
  return simulate_self_contained(Context({.seed = 21, .threads = threads}), world, simulation).data;
}

void expect_same_data(const LoadedData& a, const LoadedData& b) {
  EXPECT_EQ(a.observed.checksum(), b.observed.checksum());
  for (std::size_t arm = 0; arm < a.observed.arms.size(); ++arm) {
    const auto number = static_cast<Arm>(arm);
    EXPECT_EQ(arm_column(a.truth->outcomes(), number), arm_column(b.truth->outcomes(), number));
  }
}

/// Means over simulations.
struct Averages {
  double treated = 0;  // not in the control arm
  double degree = 0;
  std::vector<double> naive_bias;  // by arm: mean outcome of the arm less its true value
};

Averages average(World world, int simulations) {
  Averages out;
  out.naive_bias.assign(num_arms(world), 0.0);
  for (int s = 0; s < simulations; ++s) {
    const LoadedData data = simulate_world(world, static_cast<std::uint64_t>(s));
    const Dataset& log = data.observed;
    const auto n = static_cast<double>(log.num_nodes());
    const std::vector<std::size_t> sizes = log.arm_sizes();
    out.treated += (1 - static_cast<double>(sizes[0]) / n) / simulations;
    out.degree += 2 * static_cast<double>(log.graph.num_edges()) / n / simulations;
    for (std::size_t a = 0; a < sizes.size(); ++a) {
      double total = 0;
      for (std::size_t i = 0; i < log.num_nodes(); ++i) {
        if (log.treatment[i] == a) total += log.outcome[i];
      }
      const double truth = mean(arm_column(data.truth->outcomes(), static_cast<Arm>(a)));
      out.naive_bias[a] += (total / static_cast<double>(sizes[a]) - truth) / simulations;
    }
  }
  return out;
}

TEST(SelfContained, IsTheSameAtAnyNumberOfThreadsAndInAnyOrder) {
  for (const World world : self_contained_worlds()) {
    const LoadedData alone = simulate_world(world, 2);
    std::vector<LoadedData> sequence;
    for (std::uint64_t s = 0; s < 3; ++s) sequence.push_back(simulate_world(world, s, 4));
    expect_same_data(alone, sequence[2]);
    EXPECT_NE(sequence[0].observed.checksum(), sequence[1].observed.checksum()) << enum_name(world);
  }
}

TEST(SelfContained, LogsTheOutcomeOfTheArmTaken) {
  for (const World world : self_contained_worlds()) {
    const LoadedData data = simulate_world(world, 0);
    ASSERT_EQ(data.truth->outcomes().cols(), num_arms(world));
    ASSERT_EQ(data.observed.arms.size(), num_arms(world));
    for (std::size_t i = 0; i < data.observed.num_nodes(); ++i) {
      ASSERT_EQ(data.observed.outcome[i], data.truth->outcomes()(i, data.observed.treatment[i]));
    }
    EXPECT_EQ(data.observed.features.num_dense, data.observed.features.matrix.cols());
  }
}

TEST(SelfContained, HasTheMomentsOfItsDefinition) {
  struct Expected {
    std::size_t nodes;
    std::size_t features;
    double treated;
    double degree;
    double naive_bias;  // of arm 1; the control arm has the opposite
    double tolerance = 0.1;
  };
  const std::map<World, Expected> expected = {{World::kBlocks, {600, 3, 0.51, 7.5, 1.16}},
                                              {World::kRing, {800, 3, 0.5, 5.98, 0.57}},
                                              {World::kThin, {600, 3, 0.51, 3.5, 1.32}},
                                              {World::kHalfIsolated, {600, 3, 0.51, 3.75, 0.85}},
                                              {World::kNeighbourMaximum, {600, 3, 0.5, 7.5, 0.6}},
                                              {World::kManyColumns, {300, 150, 0.5, 0, 0.95}},
                                              {World::kExponential, {800, 3, 0.5, 0, 0.78}},
                                              {World::kFewConversions, {1000, 3, 0.05, 0, 0, 0.4}},
                                              {World::kVillages, {800, 3, 0.5, 0, 0}}};
  for (const auto& [world, moments] : expected) {
    SCOPED_TRACE(enum_name(world));
    const LoadedData first = simulate_world(world, 0);
    EXPECT_EQ(first.observed.num_nodes(), moments.nodes);
    EXPECT_EQ(first.observed.features.matrix.cols(), moments.features);
    const Averages found = average(world, 30);
    EXPECT_NEAR(found.treated, moments.treated, world == World::kVillages ? 0.06 : 0.02);
    EXPECT_NEAR(found.degree, moments.degree, 0.1);
    EXPECT_NEAR(found.naive_bias[1], moments.naive_bias, moments.tolerance);
    EXPECT_NEAR(found.naive_bias[0], -moments.naive_bias, moments.tolerance);
  }
}

TEST(SelfContained, Blocks5HasTheArmsOfItsDefinition) {
  const LoadedData data = simulate_world(World::kBlocks5, 0);
  EXPECT_EQ(data.observed.num_nodes(), 800U);
  const double effects[] = {0, 0.2, 0.4, 0.1, 0};
  const double control = mean(arm_column(data.truth->outcomes(), 0));
  for (Arm a = 0; a < 5; ++a) {
    EXPECT_NEAR(mean(arm_column(data.truth->outcomes(), a)) - control, effects[a], 0.2);
  }
  const Averages found = average(World::kBlocks5, 20);
  EXPECT_NEAR(found.degree, 10, 0.1);
  // Arm 1 is for communities with high outcomes, arm 2, the best one, for those with low outcomes.
  EXPECT_GT(found.naive_bias[1], 0.5);
  EXPECT_LT(found.naive_bias[2], -0.5);
}

TEST(SelfContained, HalfOfTheUnitsAreIsolated) {
  const Graph& graph = simulate_world(World::kHalfIsolated, 0).observed.graph;
  std::size_t isolated = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) isolated += graph.degree(i) == 0 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(isolated), 300, 50);
}

TEST(SelfContained, TheConfounderOfTheRingIsSharedByNeighbours) {
  const LoadedData data = simulate_world(World::kRing, 0);
  const std::vector<double> y = arm_column(data.truth->outcomes(), 0);
  std::vector<double> next(y.begin() + 1, y.end());
  next.push_back(y.front());
  EXPECT_GT(correlation(y, next), 0.1);  // the noise and the feature are not
}

TEST(SelfContained, FewConvert) {
  const LoadedData data = simulate_world(World::kFewConversions, 0);
  const auto zeros = std::ranges::count(data.observed.outcome, 0.0);
  EXPECT_NEAR(static_cast<double>(zeros) / 1000, 0.9, 0.04);
}

TEST(SelfContained, VillagesAreTreatedAsAWhole) {
  const Dataset log = simulate_world(World::kVillages, 0).observed;
  ASSERT_EQ(log.cluster.size(), log.num_nodes());
  EXPECT_EQ(std::ranges::max(log.cluster), 39U);
  std::map<std::uint32_t, Arm> arm_of;
  for (std::size_t i = 0; i < log.num_nodes(); ++i) {
    EXPECT_EQ(arm_of.try_emplace(log.cluster[i], log.treatment[i]).first->second, log.treatment[i]);
  }
  for (const World world : self_contained_worlds()) {
    EXPECT_EQ(simulate_world(world, 0).observed.cluster.empty(), world != World::kVillages);
  }
}

TEST(SelfContained, SomeWorldsHideNothing) {
  for (const World world : self_contained_worlds()) {
    const bool hides_nothing = world == World::kManyColumns || world == World::kExponential ||
                               world == World::kFewConversions || world == World::kVillages;
    EXPECT_EQ(is_unconfounded(world), hides_nothing) << enum_name(world);
  }
}

}  // namespace
}  // namespace cone

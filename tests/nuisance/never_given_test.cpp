#include "nuisance/never_given.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodes = 400;

/// A column of five values, one of many values and two words; arms by a coin.
struct CoinWorld {
  std::vector<std::vector<double>> rows;
  Dataset data;

  NeverGiven find() {
    data.features.matrix = testing::sparse_from_rows(rows);
    return find_never_given(Context(0, 2), data);
  }
};

CoinWorld coin_world() {
  CoinWorld world;
  Rng rng(81, Stream::kTest);
  for (std::size_t i = 0; i < kNodes; ++i) {
    world.rows.push_back({static_cast<double>(rng.below(5)), rng.normal(),
                          static_cast<double>(rng.below(3)), rng.bernoulli(0.3) ? 2.0 : 0.0});
    world.data.treatment.push_back(rng.bernoulli(0.4) ? 1 : 0);
    world.data.outcome.push_back(rng.normal());
  }
  world.data.ids = IdTable::numbered(kNodes);
  world.data.graph = build_graph(Context(0, 1), kNodes, {});
  world.data.arms = {"nothing", "letter"};
  world.data.features.num_dense = 2;
  world.data.features.names = {"region", "age", "hello", "bye"};
  return world;
}

std::size_t num_never(const NeverGiven& never, std::size_t arm) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kNodes; ++i) count += never.is_never(i, arm);
  return count;
}

TEST(NeverGiven, ACoinLeavesNobodyOut) {
  const NeverGiven never = coin_world().find();
  EXPECT_TRUE(never.sentences.empty()) << never.sentences[0];
  EXPECT_EQ(num_never(never, 0) + num_never(never, 1), 0U);
}

TEST(NeverGiven, FindsTheKindByItsValueItsTailAndItsWord) {
  const auto check = [](const auto& is_of_kind, const std::string& words) {
    CoinWorld world = coin_world();
    std::size_t size = 0;
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (!is_of_kind(world.rows[i])) continue;
      ++size;
      world.data.treatment[i] = 0;
    }
    const NeverGiven never = world.find();
    ASSERT_EQ(never.sentences.size(), 1U) << words;
    EXPECT_NE(never.sentences[0].find("nobody " + words), std::string::npos) << never.sentences[0];
    EXPECT_NE(never.sentences[0].find("given arm letter"), std::string::npos);
    EXPECT_EQ(num_never(never, 0), 0U);
    EXPECT_NEAR(static_cast<double>(num_never(never, 1)), static_cast<double>(size), 6) << words;
    for (std::size_t i = 0; i < kNodes; ++i) {
      EXPECT_TRUE(never.is_never(i, 1) != 0 || !is_of_kind(world.rows[i])) << words << ' ' << i;
    }
  };
  check([](const auto& row) { return row[0] == 3; }, "with region = 3");
  check([](const auto& row) { return row[1] > 0.8; }, "with age above");
  check([](const auto& row) { return row[1] < -0.8; }, "with age below");
  check([](const auto& row) { return row[3] > 0; }, "with bye");
  check([](const auto& row) { return row[2] == 0; }, "without hello");
}

TEST(NeverGiven, OneMemberIsEnoughToBeGivenIt) {
  CoinWorld world = coin_world();
  bool is_first = true;
  for (std::size_t i = 0; i < kNodes; ++i) {
    if (world.rows[i][0] != 3) continue;
    world.data.treatment[i] = is_first ? 1 : 0;
    is_first = false;
  }
  EXPECT_TRUE(world.find().sentences.empty());
}

TEST(NeverGiven, SmallKindsAreLeftToChance) {
  CoinWorld world = coin_world();
  for (std::size_t i = 0; i < 15; ++i) {
    world.rows[i][0] = 9;
    world.data.treatment[i] = 0;
  }
  EXPECT_TRUE(world.find().sentences.empty());
}

}  // namespace
}  // namespace cone

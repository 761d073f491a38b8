#include "nuisance/positivity_violations.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodes = 400;

/// A column of five values, one of many values and two count features; arms at random.
struct RandomisedWorld {
  std::vector<std::vector<double>> rows;
  Dataset data;

  PositivityViolations find() {
    data.features.matrix = testing::sparse_from_rows(rows);
    return find_positivity_violations(Context({.threads = 2}), data);
  }
};

RandomisedWorld randomised_world() {
  RandomisedWorld world;
  Rng rng(81, Stream::kTest);
  for (std::size_t i = 0; i < kNodes; ++i) {
    world.rows.push_back({static_cast<double>(rng.below(5)), rng.normal(),
                          static_cast<double>(rng.below(3)), rng.bernoulli(0.3) ? 2.0 : 0.0});
    world.data.treatment.push_back(rng.bernoulli(0.4) ? 1 : 0);
    world.data.outcome.push_back(rng.normal());
  }
  world.data.ids = IdTable::numbered(kNodes);
  world.data.graph = build_graph(Context({.threads = 1}), kNodes, {});
  world.data.arms = {"nothing", "letter"};
  world.data.features.num_dense = 2;
  world.data.features.names = {"region", "age", "hello", "bye"};
  return world;
}

std::size_t num_violated(const PositivityViolations& found, std::size_t arm) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < kNodes; ++i) count += found.is_violated(i, arm);
  return count;
}

TEST(PositivityViolations, AreAbsentUnderRandomisation) {
  const PositivityViolations found = randomised_world().find();
  EXPECT_TRUE(found.sentences.empty()) << found.sentences[0];
  EXPECT_EQ(num_violated(found, 0) + num_violated(found, 1), 0U);
}

TEST(PositivityViolations, AreFoundByValueTailAndCountFeature) {
  const auto check = [](const auto& is_in_subgroup, const std::string& name) {
    RandomisedWorld world = randomised_world();
    std::size_t size = 0;
    for (std::size_t i = 0; i < kNodes; ++i) {
      if (!is_in_subgroup(world.rows[i])) continue;
      ++size;
      world.data.treatment[i] = 0;
    }
    const PositivityViolations found = world.find();
    ASSERT_EQ(found.sentences.size(), 1U) << name;
    EXPECT_NE(found.sentences[0].find("positivity violation: no node " + name), std::string::npos)
        << found.sentences[0];
    EXPECT_NE(found.sentences[0].find("received arm letter"), std::string::npos);
    EXPECT_EQ(num_violated(found, 0), 0U);
    EXPECT_NEAR(static_cast<double>(num_violated(found, 1)), static_cast<double>(size), 6) << name;
    for (std::size_t i = 0; i < kNodes; ++i) {
      EXPECT_TRUE(found.is_violated(i, 1) != 0 || !is_in_subgroup(world.rows[i]))
          << name << ' ' << i;
    }
  };
  check([](const auto& row) { return row[0] == 3; }, "with region = 3");
  check([](const auto& row) { return row[1] > 0.8; }, "with age above");
  check([](const auto& row) { return row[1] < -0.8; }, "with age below");
  check([](const auto& row) { return row[3] > 0; }, "with bye");
  check([](const auto& row) { return row[2] == 0; }, "without hello");
}

TEST(PositivityViolations, AreAbsentWhereOneNodeReceivedTheArm) {
  RandomisedWorld world = randomised_world();
  bool is_first = true;
  for (std::size_t i = 0; i < kNodes; ++i) {
    if (world.rows[i][0] != 3) continue;
    world.data.treatment[i] = is_first ? 1 : 0;
    is_first = false;
  }
  EXPECT_TRUE(world.find().sentences.empty());
}

TEST(PositivityViolations, AreNotClaimedForSmallSubgroups) {
  RandomisedWorld world = randomised_world();
  for (std::size_t i = 0; i < 15; ++i) {
    world.rows[i][0] = 9;
    world.data.treatment[i] = 0;
  }
  EXPECT_TRUE(world.find().sentences.empty());
}

}  // namespace
}  // namespace cone

#include <gtest/gtest.h>

#include "cone/learn.hpp"

namespace cone {
namespace {

/// Data with this many nodes per arm.
Dataset with_members(const std::vector<std::size_t>& members) {
  Dataset data;
  data.arms.clear();
  for (std::size_t a = 0; a < members.size(); ++a) {
    data.arms.push_back(std::to_string(a));
    data.treatment.insert(data.treatment.end(), members[a], static_cast<Arm>(a));
  }
  data.ids = IdTable::numbered(data.treatment.size());
  return data;
}

TEST(PropensityBounds, AreTheSameForArmsOfOrdinarySize) {
  for (const std::vector<std::size_t>& members :
       {std::vector<std::size_t>{500, 500}, {900, 100}, {100, 900}, {400, 300, 300}}) {
    const PropensityBounds bounds = choose_propensity_bounds(with_members(members), {});
    for (std::size_t a = 0; a < members.size(); ++a) {
      EXPECT_EQ(bounds.low[a], 0.01);
      EXPECT_EQ(bounds.high[a], 0.99);
    }
    EXPECT_EQ(bounds.lows_in_words(), "0.01");
    EXPECT_EQ(bounds.in_words(), "within [0.01, 0.99]");
  }
}

TEST(PropensityBounds, FollowTheShareOfASmallArm) {
  const PropensityBounds two = choose_propensity_bounds(with_members({995, 5}), {});
  EXPECT_EQ(two.low[0], 0.01);
  EXPECT_DOUBLE_EQ(two.low[1], 0.0005);
  EXPECT_DOUBLE_EQ(two.high[0], 1 - 0.0005);
  EXPECT_EQ(two.high[1], 0.99);
  EXPECT_EQ(two.lows_in_words(), "0.0005 to 0.01");
  const PropensityBounds sixteen =
      choose_propensity_bounds(with_members(std::vector<std::size_t>(16, 100)), {});
  EXPECT_DOUBLE_EQ(sixteen.low[7], 0.00625);
  EXPECT_GT(choose_propensity_bounds(with_members({100, 0}), {}).low[1], 0)
      << "no unbounded weights";
}

TEST(PropensityBounds, ThatAreGivenAreUsedUnchanged) {
  for (const double given : {0.0, 0.01, 0.2}) {
    const PropensityBounds bounds = choose_propensity_bounds(with_members({990, 5, 5}), given);
    EXPECT_EQ(bounds.low, std::vector<double>(3, given));
    EXPECT_EQ(bounds.high, std::vector<double>(3, 1 - given));
  }
}

TEST(PropensityBounds, MoveEveryArmIntoItsOwn) {
  Matrix<double> e(2, 3);
  const double rows[2][3] = {{0.9899, 0.0001, 0.01}, {0.2, 0.5, 0.3}};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t a = 0; a < 3; ++a) e(i, a) = rows[i][a];
  }
  const PropensityTable table = bound_propensities(e, PropensityBounds::of({0.01, 0.001, 0.02}));
  EXPECT_EQ(table.e(0, 0), 0.9899);
  EXPECT_EQ(table.e(0, 1), 0.001);
  EXPECT_EQ(table.e(0, 2), 0.02);
  EXPECT_EQ(table.unbounded(0, 1), 0.0001);
  EXPECT_EQ(table.clipped_fraction, 0.5);
  for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(table.e(1, a), rows[1][a]);
}

TEST(PropensityBounds, OfTwoArmsLeaveASumOfOne) {
  Matrix<double> e(1, 2);
  e(0, 1) = 0.0001;
  e(0, 0) = 1 - e(0, 1);
  const PropensityTable table = bound_propensities(e, PropensityBounds::of({0.01, 0.0005}));
  EXPECT_EQ(table.e(0, 1), 0.0005);
  EXPECT_EQ(table.e(0, 0), 1 - 0.0005);
}

}  // namespace
}  // namespace cone

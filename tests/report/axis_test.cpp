#include "report/axis.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace cone::report {
namespace {

std::vector<std::string> tick_texts(const Axis& axis) {
  std::vector<std::string> texts;
  for (const double tick : axis.ticks) texts.push_back(axis.tick_text(tick));
  return texts;
}

TEST(Axis, HasRoundTicksWithinItsEnds) {
  const Axis axis = make_axis(std::vector{-0.31, 0.17});
  EXPECT_EQ(tick_texts(axis), (std::vector<std::string>{"-0.3", "-0.2", "-0.1", "0", "0.1"}));
  EXPECT_LT(axis.low, -0.31);
  EXPECT_GT(axis.high, 0.17);
}

TEST(Axis, PutsItsEndsAtZeroAndOne) {
  const Axis axis = make_axis(std::vector{0.0, 10.0}, 6, true);
  EXPECT_EQ(axis.share(0), 0);
  EXPECT_EQ(axis.share(10), 1);
  EXPECT_EQ(axis.share(2.5), 0.25);
  EXPECT_EQ(axis.share(-5), 0) << "what lies beyond is drawn at the end";
}

TEST(Axis, OfNothingOrOfOneNumberStillHasAWidth) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values : {std::vector<double>{},
                                            {kNan},
                                            {kInfinity, -kInfinity},
                                            {3.0},
                                            {0.0},
                                            {1e300, -1e300},
                                            {1e-300, 2e-300},
                                            {5.0, 5.0 + 1e-15},
                                            {-1e308},
                                            {1e7 + 0.001, 1e7}}) {
    const Axis axis = make_axis(values);
    EXPECT_LT(axis.low, axis.high);
    EXPECT_TRUE(std::isfinite(axis.high - axis.low));
    EXPECT_FALSE(axis.ticks.empty());
    EXPECT_LE(axis.ticks.size(), 7U);
    for (const double tick : axis.ticks) EXPECT_TRUE(std::isfinite(axis.share(tick)));
  }
}

TEST(Axis, NeverHasMoreTicksThanAskedFor) {
  for (double high = 0.001; high < 1e6; high *= 1.37) {
    const Axis axis = make_axis(std::vector{0.0, high}, 5);
    EXPECT_LE(axis.ticks.size(), 6U);
    EXPECT_GE(axis.ticks.size(), 2U);
  }
}

}  // namespace
}  // namespace cone::report

#include <array>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cone/estimate.hpp"

namespace cone {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

TEST(Alternatives, AShiftExtendsAnIntervalToOneSide) {
  EXPECT_EQ(enclose(1.5, 0.25, 2, std::vector<AlternativeValue>{{.shift = 0.5}}),
            (std::pair{1.0, 2.5}));
  EXPECT_EQ(enclose(1.5, 0.25, 2, std::vector<AlternativeValue>{{.shift = -0.5}}),
            (std::pair{0.5, 2.0}));
  EXPECT_EQ(enclose(1.5, 0.25, 2, {}), (std::pair{1.0, 2.0}));
}

TEST(Alternatives, DeviationsWidenTheirOwnIntervalOnly) {
  const std::vector<AlternativeValue> other = {{.shift = 1, .deviations = {3, -4}}};
  EXPECT_EQ(other[0].error_with(0), 5);
  EXPECT_EQ(enclose(0, 0, 2, other), (std::pair{-9.0, 11.0}));
  EXPECT_EQ(enclose(0, 12, 2, other), (std::pair{-25.0, 27.0}));
}

TEST(Alternatives, OfADifferenceAreTheDifferences) {
  const std::array values = {Alternatives{{.shift = 2, .deviations = {1, 5}}},
                             Alternatives{{.shift = 0.5, .deviations = {1, 2}}}};
  const Alternatives difference = combine(std::array{1.0, -1.0}, values);
  ASSERT_EQ(difference.size(), 1U);
  EXPECT_EQ(difference[0].shift, 1.5);
  EXPECT_EQ(difference[0].deviations, (std::vector<double>{0, 3}));
}

TEST(Alternatives, OfAValueThatIsKnownAreZero) {
  const std::array values = {Alternatives{}, Alternatives{{.shift = 0.5, .deviations = {2}}}};
  const Alternatives difference = combine(std::array{1.0, -1.0}, values);
  EXPECT_EQ(difference[0].shift, -0.5);
  EXPECT_EQ(difference[0].deviations, (std::vector<double>{-2}));
}

TEST(Alternatives, TheLeastStatisticIsZeroWhereSignsDiffer) {
  EXPECT_EQ(least_statistic(3, 1, {}), 3);
  EXPECT_EQ(least_statistic(3, 1, std::vector<AlternativeValue>{{.shift = -1}}), 2);
  EXPECT_EQ(least_statistic(3, 1, std::vector<AlternativeValue>{{.shift = -4}}), 0);
  EXPECT_EQ(least_statistic(-3, 3, std::vector<AlternativeValue>{{.shift = 0, .deviations = {4}}}),
            0.6);
}

TEST(Alternatives, ASensitivityIntervalContainsAllOthers) {
  const std::vector<AlternativeValue> all = {{.shift = -0.5}, {.shift = 5, .deviations = {1}}};
  const auto own = enclose(0, 1, 2, all);
  const auto narrow = enclose_confounded(0, 1, 2, all, {.too_high = 0.25, .too_low = 0.25});
  EXPECT_EQ(narrow, (std::pair{-2.75, own.second})) << "the bound is around the value itself";
  EXPECT_EQ(enclose_confounded(0, 1, 2, all, {.too_high = 100}), (std::pair{-102.5, own.second}));
  EXPECT_EQ(enclose_confounded(0, 1, 2, all, {.too_low = 100}), (std::pair{own.first, 102.0}));
}

TEST(Alternatives, AnEstimateEnclosesItsSmoothingBiasAndTheJointModel) {
  Estimate e{.value = 1, .standard_error = 0.5, .sampling_interval = {0, 2}};
  EXPECT_EQ(e.interval(), (std::pair{0.0, 2.0}));
  e.smoothing_bias = {.bias = 0.5, .standard_error = 0.1};
  EXPECT_EQ(e.interval(), (std::pair{-0.5, 2.0}));
  e.joint = {{.shift = 3}};
  EXPECT_EQ(e.interval(), (std::pair{-0.5, 5.0}));
  e.standard_error = kNone;
  e.sampling_interval = {kNone, kNone};
  EXPECT_NE(e.interval().first, e.interval().first) << "no interval without a standard error";
}

}  // namespace
}  // namespace cone

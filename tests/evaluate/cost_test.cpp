#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/evaluate.hpp"

#include "base/random.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

constexpr double kEffect = 1.0;

/// Treat by x1, treat all and treat none, with a constant effect of kEffect.
Decision decide_with(std::vector<std::string> cost, Target target = Target::kSample,
                     const std::vector<double>& price = {}) {
  SmallWorld world = small_world(300, 0.5, kEffect, 6);
  world.policies.push_back({"all", two_arm_probabilities(std::vector<double>(300, 1.0))});
  world.policies.push_back({"none", two_arm_probabilities(std::vector<double>(300, 0.0))});
  if (!price.empty()) world.data.observed.kept.push_back({"price", price});
  EvaluateOptions options;
  options.estimators = {"network_dm"};
  options.estimator.target = target;
  options.cost = std::move(cost);
  return *evaluate(Context({.threads = 2}), world.data, world.policies, options).decision;
}

double width(const std::optional<std::pair<double, double>>& range) {
  return range->second - range->first;
}

TEST(Cost, MovesGainsByTheDifferenceOfMeanCostsAndChangesNoWidth) {
  const Decision gross = decide_with({});
  const Decision net = decide_with({"1=0.25", "0=0.5"});
  const double logged_cost = *net.policies[0].cost;
  EXPECT_GT(logged_cost, 0.25);
  EXPECT_LT(logged_cost, 0.5);
  EXPECT_EQ(net.policies[2].cost, 0.25);
  EXPECT_EQ(net.policies[3].cost, 0.5);
  for (std::size_t p = 0; p < gross.policies.size(); ++p) {
    const DecidedPolicy& before = gross.policies[p];
    const DecidedPolicy& after = net.policies[p];
    EXPECT_FALSE(before.cost);
    EXPECT_EQ(after.value, before.value);
    EXPECT_EQ(after.sensitivity_interval, before.sensitivity_interval);
    EXPECT_NEAR(after.band->first, before.band->first, 1e-12);
    if (before.is_logged) continue;
    EXPECT_EQ(after.sampling_interval, before.sampling_interval);
    const double shift = logged_cost - *after.cost;
    EXPECT_NEAR(after.gain, before.gain + shift, 1e-12);
    EXPECT_NEAR(after.sampling_gain_interval->first, before.sampling_gain_interval->first + shift,
                1e-12);
    EXPECT_NEAR(width(after.sampling_gain_interval), width(before.sampling_gain_interval), 1e-12);
    EXPECT_NEAR(width(after.sensitivity_gain_interval), width(before.sensitivity_gain_interval),
                1e-12);
  }
  for (std::size_t d = 0; d < gross.differences.size(); ++d) {
    const PolicyDifference& after = net.differences[d];
    EXPECT_EQ(after.standard_error, gross.differences[d].standard_error);
    EXPECT_NEAR(after.difference,
                gross.differences[d].difference - *net.policies[after.first].cost +
                    *net.policies[after.second].cost,
                1e-12);
  }
}

TEST(Cost, OfThePopulationHasASamplingError) {
  const Decision gross = decide_with({}, Target::kPopulation);
  std::vector<double> price;
  for (std::size_t i = 0; i < 300; ++i) {
    price.push_back(Rng(8, Stream::kTest, i).bernoulli(0.5) ? 4 : 0);
  }
  const Decision net = decide_with({"1=price"}, Target::kPopulation, price);
  const Decision constant = decide_with({"1=2", "0=2"}, Target::kPopulation);
  const auto half_width = [](const std::optional<std::pair<double, double>>& range) {
    return width(range) / 2;
  };
  for (std::size_t p = 0; p < gross.policies.size(); ++p) {
    EXPECT_EQ(net.policies[p].sampling_interval, gross.policies[p].sampling_interval);
    EXPECT_NEAR(half_width(net.policies[p].band), half_width(gross.policies[p].band), 1e-12);
    EXPECT_NEAR(half_width(constant.policies[p].net_sampling_interval),
                half_width(gross.policies[p].sampling_interval), 1e-9);
    EXPECT_NEAR(half_width(constant.policies[p].net_band), half_width(gross.policies[p].band),
                1e-9);
  }
  // Treat all: the price is independent of the outcome, with a standard deviation of 2.
  const double quantile = 1.97;
  const double expected =
      std::hypot(half_width(gross.policies[2].sampling_interval), quantile * 2 / std::sqrt(300.0));
  EXPECT_NEAR(half_width(net.policies[2].net_sampling_interval), expected, 0.25 * expected);
  EXPECT_GT(width(net.policies[2].sampling_gain_interval),
            width(gross.policies[2].sampling_gain_interval));
  EXPECT_EQ(width(net.policies[3].net_sampling_interval), width(net.policies[3].sampling_interval))
      << "treat none costs nothing";
}

TEST(Cost, ReversesRanksWhereAnArmCostsMoreThanItGains) {
  const Decision gross = decide_with({});
  EXPECT_EQ(gross.policies[2].ranks, std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_FALSE(gross.policies[3].may_be_best);
  const Decision net = decide_with({"1=2"});
  EXPECT_EQ(net.policies[3].ranks, std::pair(std::size_t{1}, std::size_t{1}));
  EXPECT_FALSE(net.policies[2].may_be_best);
  EXPECT_LT(net.policies[2].sampling_gain_interval->second, 0);
}

TEST(Cost, OfAConstantColumnIsThatOfTheNumber) {
  const Decision number = decide_with({"1=0.3", "0=0.1"});
  const Decision column =
      decide_with({"1=price", "0=0.1"}, Target::kSample, std::vector<double>(300, 0.3));
  EXPECT_EQ(column.costs[1].column, "price");
  EXPECT_NEAR(column.costs[1].cost, 0.3, 1e-12);
  EXPECT_EQ(column.costs[0].column, "");
  for (std::size_t p = 0; p < number.policies.size(); ++p) {
    EXPECT_EQ(column.policies[p].cost, number.policies[p].cost);
    EXPECT_EQ(column.policies[p].gain, number.policies[p].gain);
    EXPECT_EQ(column.policies[p].sampling_gain_interval, number.policies[p].sampling_gain_interval);
    EXPECT_EQ(column.policies[p].ranks, number.policies[p].ranks);
  }
}

TEST(Cost, OfAColumnCountsForUnitsInTheArm) {
  std::vector<double> price(300);
  for (std::size_t i = 0; i < 300; ++i) price[i] = static_cast<double>(i % 3);
  const Decision decision = decide_with({"1=price"}, Target::kSample, price);
  const SmallWorld world = small_world(300, 0.5, kEffect, 6);
  double logged = 0;
  double by_x1 = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    logged += (world.data.observed.treatment[i] == 1 ? price[i] : 0) / 300;
    by_x1 += world.policies[0].probability(i, 1) * price[i] / 300;
  }
  EXPECT_NEAR(*decision.policies[0].cost, logged, 1e-12);
  EXPECT_NEAR(*decision.policies[1].cost, by_x1, 1e-12);
  EXPECT_NEAR(*decision.policies[2].cost, 1, 1e-12);
  EXPECT_EQ(*decision.policies[3].cost, 0);
}

TEST(Cost, OfAColumnThatIsNotThereIsRefused) {
  try {
    decide_with({"1=prise"}, Target::kSample, std::vector<double>(300, 0.3));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(error.faults()[0].what.find("'prise' is neither a number"), std::string::npos);
  }
  EXPECT_THROW(decide_with({"1="}), Error);
  EXPECT_THROW(decide_with({"1=inf"}), Error);
}

TEST(Cost, OfAnUnknownArmListsTheArms) {
  try {
    decide_with({"email=1"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_NE(error.faults()[0].what.find("email"), std::string::npos);
    EXPECT_NE(error.faults()[0].advice.find("'0', '1'"), std::string::npos);
  }
  EXPECT_THROW(decide_with({"1"}), Error);
  EXPECT_THROW(decide_with({"1=x"}), Error);
}

}  // namespace
}  // namespace cone

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

using Interval = std::optional<std::pair<double, double>>;

/// Treat by x1, all and none, with prices by node.
SmallWorld world_with_prices(std::uint64_t item, double effect) {
  constexpr std::size_t kNodes = 300;
  SmallWorld world = small_world(kNodes, 0.6, effect, item);
  world.policies.push_back({"all", two_arm_probabilities(std::vector<double>(kNodes, 1.0))});
  world.policies.push_back({"none", two_arm_probabilities(std::vector<double>(kNodes, 0.0))});
  std::vector<double> price(kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) price[i] = 0.05 * static_cast<double>(i % 4);
  world.data.observed.kept.push_back({"price", price});
  return world;
}

SmallWorld negate_outcomes(SmallWorld world) {
  for (double& y : world.data.observed.outcome) y = -y;
  const MatrixView<const double> outcomes = world.data.truth->outcomes();
  Matrix<double> negated(outcomes.rows(), outcomes.cols());
  for (std::size_t i = 0; i < outcomes.rows(); ++i) {
    for (std::size_t a = 0; a < outcomes.cols(); ++a) negated(i, a) = -outcomes(i, a);
  }
  world.data.truth = Truth(std::move(negated));
  return world;
}

EvaluationRecord evaluate_towards(const SmallWorld& world, bool lower_is_better,
                                  std::vector<std::string> cost = {"1=price"}) {
  EvaluateOptions options;
  options.estimators = {"network_dm"};
  options.estimator.target = Target::kSample;
  options.cost = std::move(cost);
  options.budget.rank = {"x1", "by x1"};
  options.budget.budget_steps = 5;
  options.direction.lower_is_better = lower_is_better;
  return evaluate(Context({.seed = 4, .threads = 2}), world.data, world.policies, options);
}

void expect_mirrored(const Interval& one, const Interval& other) {
  ASSERT_EQ(one.has_value(), other.has_value());
  if (!one) return;
  EXPECT_NEAR(one->first, -other->second, 1e-12);  // sensitivity bounds are rounded per side
  EXPECT_NEAR(one->second, -other->first, 1e-12);
}

TEST(Direction, NegatingOutcomesAndDirectionMirrorsValuesAndNothingElse) {
  for (const double effect : {0.0, 0.2, 0.8}) {
    const SmallWorld world = world_with_prices(70, effect);
    const Decision higher = *evaluate_towards(world, false).decision;
    const Decision lower = *evaluate_towards(negate_outcomes(world), true).decision;
    EXPECT_TRUE(lower.lower_is_better);
    EXPECT_EQ(lower.single_best, higher.single_best);
    ASSERT_EQ(lower.policies.size(), higher.policies.size());
    for (std::size_t p = 0; p < lower.policies.size(); ++p) {
      const DecidedPolicy& one = higher.policies[p];
      const DecidedPolicy& other = lower.policies[p];
      EXPECT_EQ(other.ranks, one.ranks);
      EXPECT_EQ(other.may_be_best, one.may_be_best);
      EXPECT_EQ(other.sensitivity_ranks, one.sensitivity_ranks);
      EXPECT_EQ(other.sensitivity_may_be_best, one.sensitivity_may_be_best);
      EXPECT_EQ(other.verdict, one.verdict);
      EXPECT_EQ(other.regret, one.regret);
      ASSERT_EQ(other.overturning_strength.has_value(), one.overturning_strength.has_value());
      if (one.overturning_strength) {
        EXPECT_NEAR(*other.overturning_strength, *one.overturning_strength, 1e-12);
      }
      EXPECT_EQ(other.gain_p, one.gain_p);
      EXPECT_EQ(other.cost, one.cost);
      EXPECT_EQ(other.value, -one.value);
      EXPECT_EQ(other.gain, -one.gain);
      expect_mirrored(other.sampling_interval, one.sampling_interval);
      expect_mirrored(other.band, one.band);
      expect_mirrored(other.sampling_gain_interval, one.sampling_gain_interval);
      expect_mirrored(other.sensitivity_gain_interval, one.sensitivity_gain_interval);
    }
    ASSERT_EQ(lower.differences.size(), higher.differences.size());
    for (std::size_t d = 0; d < lower.differences.size(); ++d) {
      EXPECT_EQ(lower.differences[d].verdict, higher.differences[d].verdict);
      EXPECT_EQ(lower.differences[d].difference, -higher.differences[d].difference);
      expect_mirrored(lower.differences[d].sampling_joint_interval,
                      higher.differences[d].sampling_joint_interval);
    }
  }
}

TEST(Direction, NegatingOutcomesAndDirectionMirrorsBudgetCurves) {
  const SmallWorld world = world_with_prices(71, 0.15);
  const EvaluationRecord higher = evaluate_towards(world, false);
  const EvaluationRecord lower = evaluate_towards(negate_outcomes(world), true);
  ASSERT_EQ(lower.budget_curves.size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    const BudgetCurve& one = higher.budget_curves[c];
    const BudgetCurve& other = lower.budget_curves[c];
    EXPECT_EQ(other.best_share, one.best_share);
    EXPECT_EQ(other.qini.p, one.qini.p);
    EXPECT_EQ(other.qini.value, -one.qini.value);
    EXPECT_EQ(other.warnings.size(), one.warnings.size());
    for (std::size_t k = 0; k < one.points.size(); ++k) {
      EXPECT_EQ(other.points[k].gain, -one.points[k].gain);
      EXPECT_EQ(other.points[k].cost, one.points[k].cost);
      EXPECT_NEAR(*other.points[k].truth, -*one.points[k].truth, 1e-12);
    }
  }
}

TEST(Direction, AloneReversesRanksAndLeavesValues) {
  const SmallWorld world = world_with_prices(72, 1);
  const Decision higher = *evaluate_towards(world, false, {}).decision;
  const Decision lower = *evaluate_towards(world, true, {}).decision;
  const std::size_t n = higher.policies.size();
  for (std::size_t p = 0; p < n; ++p) {
    const auto [best, worst] = *higher.policies[p].ranks;
    EXPECT_EQ(lower.policies[p].ranks, std::pair(n + 1 - worst, n + 1 - best));
    EXPECT_EQ(lower.policies[p].value, higher.policies[p].value);
    EXPECT_EQ(lower.policies[p].gain, higher.policies[p].gain);
    EXPECT_EQ(lower.policies[p].sampling_gain_interval, higher.policies[p].sampling_gain_interval);
  }
  EXPECT_FALSE(lower.policies[2].may_be_best) << "treat-all has the largest value";
  EXPECT_TRUE(lower.policies[3].may_be_best);
}

TEST(Direction, CostsAreAddedToAnOutcomeThatShouldBeLow) {
  const SmallWorld world = world_with_prices(73, 1);
  const Decision gross = *evaluate_towards(world, true, {}).decision;
  const Decision net = *evaluate_towards(world, true, {"1=0.5"}).decision;
  EXPECT_NEAR(net.policies[3].gain, gross.policies[3].gain - *net.policies[0].cost, 1e-12)
      << "treat-none saves what the logged policy costs";
  EXPECT_NEAR(net.policies[2].gain, gross.policies[2].gain + 0.5 - *net.policies[0].cost, 1e-12);
}

TEST(Direction, AsksWhereTheOutcomeNamesHarmAndNoDirectionIsDeclared) {
  SmallWorld world = small_world(100, 0, 0.5, 74);
  const auto warns = [&](Declaration lower_is_better) {
    EvaluateOptions options;
    options.estimators = {"dm_ridge"};
    options.direction.lower_is_better = lower_is_better;
    const EvaluationRecord record =
        evaluate(Context({.seed = 4, .threads = 1}), world.data, world.policies, options);
    std::size_t found = 0;
    for (const std::string& warning : record.diagnostics.warnings) {
      found += warning.find("--lower-is-better") != std::string::npos ? 1 : 0;
    }
    return found;
  };
  EXPECT_EQ(warns(std::nullopt), 0U) << "no name is known";
  world.data.columns = {{.name = "days_ill", .role = "outcome"}};
  EXPECT_EQ(warns(std::nullopt), 1U);
  EXPECT_EQ(warns(true), 0U);
  EXPECT_EQ(warns(false), 0U);
}

}  // namespace
}  // namespace cone

#include "evaluate/budget_curve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/evaluate.hpp"

#include "base/random.hpp"
#include "support/ranked_world.hpp"

namespace cone {
namespace {

using testing::ranked_world;
using testing::SmallWorld;

EvaluateOptions curve_options(std::vector<std::string> rank,
                              std::vector<std::string> estimators = {"network_dm"}) {
  EvaluateOptions options;
  options.estimators = std::move(estimators);
  options.budget.rank = std::move(rank);
  return options;
}

EvaluationRecord value_rankings(const SmallWorld& world, const EvaluateOptions& options,
                                int threads = 2) {
  return evaluate(Context({.seed = 3, .threads = threads}), world.data, world.policies, options);
}

bool is_within(const std::pair<double, double>& range, double value) {
  return range.first <= value && value <= range.second;
}

TEST(BudgetCurve, MatchesAHandCalculation) {
  Matrix<double> covariance(3, 3, 0.0);
  for (std::size_t k = 0; k < 3; ++k) covariance(k, k) = 0.01;
  const BudgetCurve curve =
      describe_curve({.gross = {1, 2, 2.5}, .cost = {0, 0.1, 0.2}, .covariance = covariance}, 1);
  const BudgetPoint& middle = curve.points[1];
  EXPECT_EQ(middle.share, 0.5);
  EXPECT_NEAR(middle.gain, 0.9, 1e-15);
  EXPECT_NEAR(middle.cost, 0.1, 1e-15);
  EXPECT_NEAR(middle.standard_error, std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(middle.sampling_interval.first, 0.9 - 1.959963985 * std::sqrt(0.02), 1e-9);
  EXPECT_NEAR(middle.over_random, 0.9 - 1.3 / 2, 1e-15);
  EXPECT_NEAR(middle.over_random_error, std::sqrt(0.015), 1e-15);  // −½, 1, −½
  EXPECT_NEAR(curve.points[2].gain, 1.3, 1e-15);
  EXPECT_EQ(curve.points[2].over_random_error, 0);
  EXPECT_EQ(curve.points[0].standard_error, 0);
  EXPECT_NEAR(curve.qini.value, 0.25 / 2, 1e-15);
  EXPECT_NEAR(curve.qini.standard_error, std::sqrt(0.015) / 2, 1e-15);
  EXPECT_NEAR(curve.qini.p, std::erfc(0.25 / std::sqrt(0.015) / std::sqrt(2.0)), 1e-12);
  // 0.25/½ at the middle, constant before it and down to 0 behind it: ½·0.5 + ½·½·0.5.
  EXPECT_NEAR(curve.autoc.value, 0.375, 1e-15);
  EXPECT_EQ(curve.best_share, 1);
}

TEST(BudgetCurve, WithoutAValidErrorAtOneBudgetOthersKeepTheirs) {
  Matrix<double> covariance(4, 4, 0.01);
  for (std::size_t k = 0; k < 4; ++k) {
    covariance(k, k) = 0.02;
    covariance(k, 2) = covariance(2, k) = std::nan("");
  }
  const BudgetCurve curve =
      describe_curve({.gross = {0, 1, 2, 2.5}, .cost = {0, 0, 0, 0}, .covariance = covariance}, 1);
  EXPECT_TRUE(std::isnan(curve.points[2].standard_error));
  EXPECT_TRUE(std::isnan(curve.points[2].band.first));
  EXPECT_NEAR(curve.points[1].standard_error, std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(curve.points[3].standard_error, std::sqrt(0.02), 1e-15);
  EXPECT_TRUE(std::isnan(curve.qini.standard_error));
  EXPECT_TRUE(std::isnan(curve.qini.p));
}

TEST(BudgetCurve, EndsAtTreatAllMinusTreatNoneForEveryEstimator) {
  const SmallWorld world = ranked_world(300, 1);
  for (const char* estimator : {"network_dm", "dr_ridge", "network_dr", "snips", "naive"}) {
    const EvaluationRecord record = value_rankings(world, curve_options({"random"}, {estimator}));
    ASSERT_EQ(record.budget_curves.size(), 1U);
    const BudgetCurve& curve = record.budget_curves[0];
    EXPECT_EQ(curve.estimator, estimator);
    const double all = record.policies[1].estimates[0].value;
    const double none = record.policies[2].estimates[0].value;
    EXPECT_NEAR(curve.points.back().gain, all - none, 1e-12) << estimator;
    EXPECT_EQ(curve.points.front().gain, 0);
    EXPECT_EQ(curve.points.size(), 21U);
  }
}

TEST(BudgetCurve, OfTheBestRankingIsAboveRandomAndItsBandCoversTheTruth) {
  const SmallWorld world = ranked_world(600, 2);
  const BudgetCurve curve = value_rankings(world, curve_options({"by x1"})).budget_curves[0];
  EXPECT_GT(curve.qini.sampling_interval.first, 0);
  EXPECT_GT(curve.autoc.sampling_interval.first, 0);
  EXPECT_LT(curve.qini.p, 1e-6);
  EXPECT_TRUE(is_within(curve.qini.sampling_interval, *curve.qini.truth));
  EXPECT_NEAR(curve.best_share, 0.5, 0.11);
  for (std::size_t k = 1; k < curve.points.size(); ++k) {
    const BudgetPoint& point = curve.points[k];
    EXPECT_TRUE(is_within(point.band, *point.truth)) << k;
    EXPECT_LT(point.band.first, point.sampling_interval.first);
    EXPECT_GT(point.band.second, point.sampling_interval.second);
    EXPECT_LT(point.sensitivity_interval.first, point.sampling_interval.first);
    if (k + 1 == curve.points.size()) continue;
    EXPECT_GT(point.over_random_band.first, 0);
  }
  EXPECT_TRUE(curve.warnings.empty());
}

TEST(BudgetCurve, OfARandomRankingIsTheLineWithinNoise) {
  int num_clear = 0;
  for (std::uint64_t item = 0; item < 8; ++item) {
    const SmallWorld world = ranked_world(300, 10 + item);
    const BudgetCurve curve = value_rankings(world, curve_options({"random"})).budget_curves[0];
    EXPECT_LT(std::abs(curve.qini.value - *curve.qini.truth), 4 * curve.qini.standard_error);
    EXPECT_LT(std::abs(curve.qini.value), 0.1);
    num_clear += is_within(curve.qini.sampling_interval, *curve.qini.truth) ? 0 : 1;
    for (const BudgetPoint& point : curve.points) EXPECT_LT(std::abs(point.over_random), 0.15);
  }
  EXPECT_LE(num_clear, 2);
}

TEST(BudgetCurve, IsNetOfCostsWhichChangeNoWidth) {
  SmallWorld world = ranked_world(300, 3);
  Dataset& data = world.data.observed;
  data.kept.push_back({"price", {}});
  for (std::size_t i = 0; i < 300; ++i) data.kept[1].values.push_back(i % 2 == 0 ? 0.5 : 0.1);
  EvaluateOptions options = curve_options({"by x1"});
  options.estimator.target = Target::kSample;
  const BudgetCurve gross = value_rankings(world, options).budget_curves[0];
  options.cost = {"1=price"};
  const BudgetCurve net = value_rankings(world, options).budget_curves[0];
  EXPECT_NEAR(net.points.back().cost, 0.3, 1e-12);
  EXPECT_LT(net.best_share, gross.best_share);
  for (std::size_t k = 0; k < net.points.size(); ++k) {
    EXPECT_NEAR(net.points[k].gain, gross.points[k].gain - net.points[k].cost, 1e-12);
    EXPECT_NEAR(*net.points[k].truth, *gross.points[k].truth - net.points[k].cost, 1e-12);
    EXPECT_EQ(net.points[k].standard_error, gross.points[k].standard_error);
  }
}

TEST(BudgetCurve, OfThePopulationIncludesTheErrorOfItsCosts) {
  SmallWorld world = ranked_world(300, 3);
  world.data.observed.kept.push_back({"price", {}});
  for (std::size_t i = 0; i < 300; ++i) {
    world.data.observed.kept[1].values.push_back(i % 2 == 0 ? 0.0 : 4.0);
  }
  EvaluateOptions options = curve_options({"by x1"});
  const BudgetCurve gross = value_rankings(world, options).budget_curves[0];
  options.cost = {"1=price"};
  const BudgetCurve net = value_rankings(world, options).budget_curves[0];
  EXPECT_EQ(net.target, Target::kPopulation);
  const double expected = std::hypot(gross.points.back().standard_error, 2 / std::sqrt(300.0));
  EXPECT_NEAR(net.points.back().standard_error, expected, 0.2 * expected);
  EXPECT_GT(net.points.back().standard_error, 1.2 * gross.points.back().standard_error);
}

TEST(BudgetCurve, IsTheSameAtAnyNumberOfThreads) {
  const SmallWorld world = ranked_world(200, 4);
  const BudgetCurve one = value_rankings(world, curve_options({"by x1"}), 1).budget_curves[0];
  const BudgetCurve three = value_rankings(world, curve_options({"by x1"}), 3).budget_curves[0];
  for (std::size_t k = 0; k < one.points.size(); ++k) {
    EXPECT_EQ(one.points[k].gain, three.points[k].gain);
    EXPECT_EQ(one.points[k].band, three.points[k].band);
    EXPECT_EQ(one.points[k].over_random_band, three.points[k].over_random_band);
  }
}

/// The same units in another order, with given nuisances so that nothing is fitted.
SmallWorld permuted(const SmallWorld& world, std::span<const NodeIndex> order) {
  const Dataset& from = world.data.observed;
  const std::size_t n = order.size();
  SmallWorld out;
  Dataset& to = out.data.observed;
  to.features.names = from.features.names;
  to.features.num_dense = from.features.num_dense;
  to.features.matrix =
      from.features.matrix.select_rows(std::vector<std::uint32_t>(order.begin(), order.end()));
  to.kept.push_back({"random", {}});
  Matrix<double> e(n, 2);
  Matrix<double> mu(n, 2);
  std::vector<double> policy;
  std::vector<NodeIndex> position(n);
  for (std::size_t i = 0; i < n; ++i) {
    const NodeIndex at = order[i];
    position[at] = static_cast<NodeIndex>(i);
    to.ids.insert(std::string("p").append(from.ids[at]));
    to.treatment.push_back(from.treatment[at]);
    to.outcome.push_back(from.outcome[at]);
    // Few values, so that there are ties.
    to.kept[0].values.push_back(std::round(from.kept[0].values[at]));
    const auto x = from.features.matrix.row(at);
    e(i, 1) = sigmoid(0.5 * x.at(0));
    e(i, 0) = 1 - e(i, 1);
    mu(i, 0) = x.at(0);
    mu(i, 1) = x.at(0) + x.at(1);
    policy.push_back(world.policies[0].probability(at, 1));
  }
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < n; ++i) {
    for (const NodeIndex j : from.graph.neighbours(i)) edges.push_back({position[i], position[j]});
  }
  to.graph = build_graph(Context({.threads = 1}), n, edges);
  to.propensity = std::move(e);
  to.mu = std::move(mu);
  out.policies = {{"by x1", two_arm_probabilities(policy)}};
  return out;
}

TEST(BudgetCurve, TheOrderOfTheUnitsChangesNothing) {
  const SmallWorld world = ranked_world(200, 5);
  std::vector<NodeIndex> order(200);
  std::iota(order.begin(), order.end(), NodeIndex{0});
  EvaluateOptions options = curve_options({"random", "x1"}, {"dr"});
  options.nuisances = NuisanceSource::kGiven;
  const EvaluationRecord before = value_rankings(permuted(world, order), options);
  Rng rng(7, Stream::kTest);
  for (std::size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[static_cast<std::size_t>(rng.uniform() * (i + 1.0))]);
  }
  const EvaluationRecord after = value_rankings(permuted(world, order), options);
  for (std::size_t c = 0; c < 2; ++c) {
    const BudgetCurve& one = before.budget_curves[c];
    const BudgetCurve& other = after.budget_curves[c];
    EXPECT_NEAR(one.autoc.standard_error, other.autoc.standard_error, 1e-10);
    for (std::size_t k = 0; k < one.points.size(); ++k) {
      EXPECT_NEAR(one.points[k].gain, other.points[k].gain, 1e-12);
      EXPECT_NEAR(one.points[k].sampling_interval.first, other.points[k].sampling_interval.first,
                  1e-10);
      // Points within a tie are nearly one another's means, so the covariance is nearly singular,
      // and rounding moves the draws from it.
      EXPECT_NEAR(one.points[k].band.first, other.points[k].band.first, 1e-6);
    }
  }
  EXPECT_GT(before.budget_curves[0].largest_tie, 0.2);
  EXPECT_NE(before.budget_curves[0].warnings[0].find("the same score"), std::string::npos);
}

TEST(BudgetCurve, WarnsOfARankingLearntFromTheOutcomes) {
  SmallWorld world = ranked_world(300, 6);
  NamedColumn& column = world.data.observed.kept[0];
  column.name = "hindsight";
  for (std::size_t i = 0; i < 300; ++i) {  // the noise of the outcome, with the sign of the arm
    const auto x = world.data.observed.features.matrix.row(i);
    const double noise = world.data.truth->outcomes()(i, 0) - x.at(0) + 0.5 * x.at(1);
    column.values[i] += 2 * (world.data.observed.treatment[i] == 1 ? noise : -noise);
  }
  const BudgetCurve curve = value_rankings(world, curve_options({"hindsight"})).budget_curves[0];
  ASSERT_FALSE(curve.warnings.empty());
  EXPECT_NE(curve.warnings.back().find("learnt from the same outcomes"), std::string::npos);
}

TEST(BudgetCurve, WithSurveyWeightsUsesThemInSharesCostsValuesAndTruth) {
  SmallWorld world = ranked_world(300, 8);
  Dataset& data = world.data.observed;
  data.kept.push_back({"price", {}});
  for (std::size_t i = 0; i < 300; ++i) {
    data.weight.push_back(i % 3 == 0 ? 4 : 1);
    data.kept[1].values.push_back(i % 3 == 0 ? 0.5 : 0);
  }
  EvaluateOptions options = curve_options({"by x1"});
  options.cost = {"1=price"};
  const EvaluationRecord record = value_rankings(world, options);
  const BudgetCurve& curve = record.budget_curves[0];
  const PolicyResult& all = record.policies[1];
  const PolicyResult& none = record.policies[2];
  const double cost = 100 * 4 * 0.5 / 600;
  EXPECT_NEAR(curve.points.back().cost, cost, 1e-12);
  EXPECT_NEAR(record.decision->costs[1].cost, cost, 1e-12);
  EXPECT_NEAR(curve.points.back().gain, all.estimates[0].value - none.estimates[0].value - cost,
              1e-12);
  EXPECT_NEAR(*curve.points.back().truth, *all.truth - *none.truth - cost, 1e-12);
  for (const BudgetPoint& point : curve.points) {
    EXPECT_LE(point.band.first, *point.truth + 1e-12);
    EXPECT_GE(point.band.second, *point.truth - 1e-12);
  }
}

TEST(BudgetCurve, IsNotForSplitsAndRepeats) {
  const SmallWorld world = ranked_world(100, 7);
  EvaluateOptions options = curve_options({"random"});
  options.repeats = 2;
  EXPECT_THROW(value_rankings(world, options), Error);
  options.repeats = 1;
  options.plan.protocol = Protocol::kSplit;
  EXPECT_THROW(value_rankings(world, options), Error);
}

}  // namespace
}  // namespace cone

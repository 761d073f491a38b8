#include "nuisance/logistic_learner.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "data/split.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/by_node.hpp"

namespace cone {
namespace {

using testing::same_bits;
using testing::simulate;

/// P(arm 1) of every node, and the other results of the learner.
struct Propensities : PropensityTable {
  std::vector<double> probability;
};

Propensities predict_treated(const Dataset& data, const FitPlan& plan, int threads = 2,
                             const NuisanceOptions& options = {}) {
  testing::ByNode learnt =
      testing::by_node(LogisticLearner(options).fit(Context({.threads = threads}), data, plan),
                       plan.scored, data.num_nodes());
  return {*learnt.learnt.propensity, std::move(learnt.probability)};
}

TEST(LogisticLearner, RecoversTheTruePropensities) {
  const testing::Simulated simulated = simulate({.nodes = 4000, .features = 20}, 1);
  const Propensities out = predict_treated(simulated.data, cross_fit_plan(simulated.data, 5, 3, 1));
  EXPECT_TRUE(out.warnings.empty());
  double squared_error = 0;
  for (std::size_t i = 0; i < 4000; ++i) {
    squared_error += std::pow(out.probability[i] - simulated.propensity[i], 2) / 4000;
  }
  // 21 coefficients from 3,200 nodes: about √(21 · 0.23 / 3200) without a penalty.
  EXPECT_LT(std::sqrt(squared_error), 0.039);
}

TEST(LogisticLearner, IsTheMeanWhereTreatmentWasRandomised) {
  const Dataset data = simulate({.nodes = 300, .features = 60, .treatment_slope = 0}, 2).data;
  const Propensities out = predict_treated(data, cross_fit_plan(data, 5, 4, 1));
  const double share = static_cast<double>(data.arm_sizes()[1]) / 300;
  for (const double probability : out.probability) EXPECT_NEAR(probability, share, 0.1);
  EXPECT_EQ(*std::min_element(out.chosen_strengths.begin(), out.chosen_strengths.end()), 0);
}

TEST(LogisticLearner, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = simulate({.nodes = 200, .features = 40}, 3).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  const Propensities one = predict_treated(data, plan, 1);
  for (const int threads : {2, 5}) {
    const Propensities many = predict_treated(data, plan, threads);
    EXPECT_TRUE(same_bits(one.probability, many.probability));
    EXPECT_EQ(one.chosen_strengths, many.chosen_strengths);
  }
}

TEST(LogisticLearner, ANodesOwnTreatmentNeverReachesItsPrediction) {
  const Dataset data = simulate({.nodes = 150}, 4).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  Dataset changed = data;
  changed.treatment[17] = 1 - changed.treatment[17];
  changed.outcome[17] += 1000;
  const Propensities before = predict_treated(data, plan);
  const Propensities after = predict_treated(changed, plan);
  EXPECT_EQ(before.probability[17], after.probability[17]);
  EXPECT_FALSE(same_bits(before.probability, after.probability));
}

TEST(LogisticLearner, SwappedArmsGiveTheComplement) {
  const Dataset data = simulate({.nodes = 250, .features = 15}, 5).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  const Propensities base = predict_treated(data, plan);
  const Propensities swapped = predict_treated(testing::with_arms_swapped(data), plan);
  for (std::size_t i = 0; i < 250; ++i) {
    EXPECT_NEAR(swapped.probability[i], 1 - base.probability[i], 1e-7);
  }
}

TEST(LogisticLearner, TheOrderAndUnitsOfTheFeaturesDoNotMatter) {
  const testing::Simulated simulated = simulate({.nodes = 250, .features = 15}, 6);
  const FitPlan plan = cross_fit_plan(simulated.data, 4, 3, 1);
  const Propensities base = predict_treated(simulated.data, plan);
  Dataset rescaled = simulated.data;
  auto x = simulated.x;
  for (auto& row : x) row[0] *= 1000;
  rescaled.features.matrix = testing::sparse_from_rows(x);
  for (const Dataset& data : {testing::with_columns_reversed(simulated), rescaled}) {
    const Propensities other = predict_treated(data, plan);
    for (std::size_t i = 0; i < 250; ++i) {
      EXPECT_NEAR(other.probability[i], base.probability[i], 1e-7);
    }
  }
  const NuisanceOptions unscaled{.feature_scaling = FeatureScaling::kNone};
  EXPECT_FALSE(same_bits(predict_treated(rescaled, plan, 2, unscaled).probability,
                         predict_treated(simulated.data, plan, 2, unscaled).probability));
}

TEST(LogisticLearner, BoundsWhatItReportsAndReportsWhatItBounds) {
  const Dataset data = simulate({.nodes = 400, .treatment_slope = 4}, 7).data;
  const FitPlan plan = cross_fit_plan(data, 4, 3, 1);
  const Propensities free = predict_treated(data, plan, 2, {.propensity_bound = 0});
  const Propensities bounded = predict_treated(data, plan, 2, {.propensity_bound = 0.2});
  EXPECT_EQ(free.clipped_fraction, 0);
  double num_moved = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(bounded.probability[i], std::clamp(free.probability[i], 0.2, 0.8));
    num_moved += bounded.probability[i] != free.probability[i] ? 1 : 0;
  }
  EXPECT_GT(num_moved, 0);
  EXPECT_DOUBLE_EQ(bounded.clipped_fraction, num_moved / 400);
  EXPECT_THROW(predict_treated(data, plan, 2, {.propensity_bound = 0.6}), Error);
}

TEST(LogisticLearner, WarnsWhereTheFeaturesDetermineTheTreatment) {
  testing::Simulated simulated = simulate({.nodes = 400, .features = 2, .density = 1}, 8);
  for (std::size_t i = 0; i < 400; ++i) {
    simulated.data.treatment[i] = simulated.x[i][0] > 0 ? 1 : 0;
  }
  const Propensities out = predict_treated(simulated.data, cross_fit_plan(simulated.data, 4, 3, 1));
  ASSERT_EQ(out.warnings.size(), 3U);
  EXPECT_NE(out.warnings[0].find("4 of 4 folds"), std::string::npos);
  EXPECT_NE(out.warnings[1].find("positivity violation: no node with "), std::string::npos);
  EXPECT_NE(out.warnings[2].find("positivity violation: no node with "), std::string::npos);
  for (const double probability : out.probability) EXPECT_TRUE(std::isfinite(probability));
}

TEST(LogisticLearner, WithoutFeaturesAllNodesHaveTheMean) {
  Dataset data = simulate({.nodes = 60}, 10).data;
  data.features.matrix = testing::sparse_from_rows(std::vector<std::vector<double>>(60));
  data.features.names.clear();
  data.features.num_dense = 0;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Propensities out = predict_treated(data, plan);
  EXPECT_TRUE(out.warnings.empty());
  for (const FitTask& task : plan.tasks) {
    double share = 0;
    for (const NodeIndex i : task.fit) {
      share += data.treatment[i] / static_cast<double>(task.fit.size());
    }
    for (const NodeIndex i : task.score) EXPECT_NEAR(out.probability[i], share, 1e-14);
  }
}

TEST(LogisticLearner, ScoresThePlannedNodesAndRefusesAFoldWithoutAnArm) {
  Dataset data = simulate({.nodes = 60}, 9).data;
  Split split;
  for (NodeIndex i = 0; i < 60; ++i) {
    (i % 3 == 0 ? split.test : i % 6 == 1 ? split.validation : split.train).push_back(i);
  }
  const Propensities out = predict_treated(data, split_plan(split));
  for (NodeIndex i = 0; i < 60; ++i) EXPECT_EQ(std::isnan(out.probability[i]), i % 3 != 0);
  for (const NodeIndex i : split.train) data.treatment[i] = 0;
  EXPECT_THROW(predict_treated(data, split_plan(split)), Error);
}

}  // namespace
}  // namespace cone

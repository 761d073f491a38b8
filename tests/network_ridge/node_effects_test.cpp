#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/effects.hpp"
#include "cone/error.hpp"

#include "network_ridge/network_ridge_learner.hpp"
#include "support/arms_world.hpp"

namespace cone {
namespace {

Dataset effects_data(std::size_t num_arms = 3) {
  return testing::arms_world(150, num_arms, 1).data.observed;
}

EffectOptions few_folds(RidgeSolverChoice solver = RidgeSolverChoice::kAuto) {
  EffectOptions options{.folds = 3, .draws = 40};
  options.network_ridge.ridge_solver = solver;
  return options;
}

std::vector<double> numbers_of(const Matrix<double>& table) {
  return {table.values().begin(), table.values().end()};
}

TEST(NodeEffectsOf, PartsSumToThePredictedOutcomes) {
  const Dataset data = effects_data();
  for (const RidgeSolverChoice solver :
       {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative}) {
    EffectOptions options = few_folds(solver);
    options.effect_shrinkage = EffectShrinkage::kNone;
    const NodeEffects effects = estimate_effects(Context({.seed = 1, .threads = 2}), data, options);
    ASSERT_EQ(effects.mu.rows(), data.num_nodes());
    ASSERT_EQ(effects.parts.cols(), 3 * effects.part_names.size());
    for (std::size_t i = 0; i < data.num_nodes(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) {
        double total = 0;
        for (std::size_t k = 0; k < effects.part_names.size(); ++k) {
          total += effects.parts(i, a * effects.part_names.size() + k);
        }
        EXPECT_NEAR(total, effects.mu(i, a), 1e-12);
      }
      for (std::size_t a = 1; a < 3; ++a) {
        EXPECT_EQ(effects.effect(i, a - 1), effects.mu(i, a) - effects.mu(i, 0));
        EXPECT_NEAR(
            effects.effect_sd(i, a - 1) * effects.effect_sd(i, a - 1),
            effects.mu_sd(i, a) * effects.mu_sd(i, a) + effects.mu_sd(i, 0) * effects.mu_sd(i, 0),
            1e-12);
      }
    }
  }
}

TEST(NodeEffectsOf, AnArmWithConstantOutcomesTakesTheUnitOfAllOutcomes) {
  Dataset data = effects_data();
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    if (data.treatment[i] == 1) data.outcome[i] = 0.25;
  }
  const NodeEffects effects =
      estimate_effects(Context({.seed = 1, .threads = 2}), data, few_folds());
  for (double& y : data.outcome) y *= 1000;
  const NodeEffects scaled =
      estimate_effects(Context({.seed = 1, .threads = 2}), data, few_folds());
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    EXPECT_GT(effects.mu_sd(i, 1), 0);
    EXPECT_NEAR(scaled.mu_sd(i, 1) / effects.mu_sd(i, 1), 1000, 1e-6);
  }
}

TEST(NodeEffectsOf, PredictedOutcomesAreThoseOfTheLearner) {
  const Dataset data = effects_data();
  for (const VarianceFits fits : {VarianceFits::kOnce, VarianceFits::kPerFold}) {
    EffectOptions options = few_folds();
    options.network_ridge.ridge_variances = fits;
    options.network_ridge.undersmoothing = 0.1;
    const Context context({.seed = 1, .threads = 2});
    const NodeEffects effects = estimate_effects(context, data, options);
    const FitPlan plan = make_plan(context, data, {.folds = 3}, 1);
    const Nuisances learnt = NetworkRidgeLearner(options.network_ridge).fit(context, data, plan);
    EXPECT_EQ(numbers_of(effects.mu), numbers_of(learnt.outcome->mu));
  }
}

TEST(NodeEffectsOf, NoOutcomeLeaksIntoThePredictionsOfItsNode) {
  Dataset data = effects_data(2);
  EffectOptions options = few_folds();
  options.network_ridge.ridge_variances = VarianceFits::kPerFold;
  const NodeEffects was = estimate_effects(Context({.seed = 1, .threads = 2}), data, options);
  data.outcome[7] += 10;
  const NodeEffects is = estimate_effects(Context({.seed = 1, .threads = 2}), data, options);
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(is.mu(7, a), was.mu(7, a));
    EXPECT_EQ(is.mu_sd(7, a), was.mu_sd(7, a));
  }
  EXPECT_NE(numbers_of(is.mu), numbers_of(was.mu));
}

TEST(NodeEffectsOf, AreBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = effects_data();
  for (const RidgeSolverChoice solver :
       {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative}) {
    const NodeEffects one =
        estimate_effects(Context({.seed = 1, .threads = 1}), data, few_folds(solver));
    const NodeEffects three =
        estimate_effects(Context({.seed = 1, .threads = 3}), data, few_folds(solver));
    EXPECT_EQ(numbers_of(one.mu), numbers_of(three.mu));
    EXPECT_EQ(numbers_of(one.mu_sd), numbers_of(three.mu_sd));
    EXPECT_EQ(numbers_of(one.parts), numbers_of(three.parts));
  }
}

TEST(NodeEffectsOf, DrawsAreUsedByTheIterativeSolverOnly) {
  const Dataset data = effects_data(2);
  EffectOptions options = few_folds(RidgeSolverChoice::kDense);
  const NodeEffects exact = estimate_effects(Context({.seed = 1, .threads = 2}), data, options);
  EXPECT_EQ(exact.draws, 0U);
  options.network_ridge.ridge_solver = RidgeSolverChoice::kIterative;
  options.draws = 2000;
  const NodeEffects drawn = estimate_effects(Context({.seed = 1, .threads = 2}), data, options);
  EXPECT_EQ(drawn.draws, 2000U);
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    EXPECT_NEAR(drawn.mu(i, 1), exact.mu(i, 1), 1e-6);
    EXPECT_NEAR(drawn.mu_sd(i, 1) / exact.mu_sd(i, 1), 1, 0.08);
  }
}

TEST(NodeEffectsOf, RefuseBadOptionsAndBareNetworks) {
  Dataset data = effects_data(2);
  EffectOptions options;
  options.draws = 1;
  options.network_ridge.ridge_groups = {"unknown"};
  try {
    estimate_effects(Context({.seed = 1, .threads = 1}), data, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_EQ(error.faults().size(), 2U);
  }
  data.treatment.clear();
  data.outcome.clear();
  EXPECT_THROW(estimate_effects(Context({.seed = 1, .threads = 1}), data, {}), Error);
}

}  // namespace
}  // namespace cone

#include "cone_networks/thin_history.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

std::vector<EpochLosses> falling_losses(std::size_t count) {
  std::vector<EpochLosses> history;
  for (std::size_t e = 0; e < count; ++e) {
    const double loss = 1 / (1 + static_cast<double>(e));
    history.push_back({.outcome = loss,
                       .treatment = 2 * loss,
                       .mutual_information = -loss,
                       .validation_outcome = 3 * loss,
                       .validation_treatment = 4 * loss});
  }
  return history;
}

TEST(ThinHistory, KeepsEveryEpochWhereThereAreFew) {
  const TrainingCurves curves = thin_history(falling_losses(24), 5, {});
  ASSERT_EQ(curves.epoch.size(), 24U);
  for (std::size_t e = 0; e < 24; ++e) EXPECT_EQ(curves.epoch[e], e);
}

TEST(ThinHistory, OfAnyLengthHasAtMostTwentyFourPointsWithTheBestEpochAndTheLast) {
  for (const std::size_t count : {25U, 26U, 47U, 301U, 1000U, 12345U}) {
    for (const std::size_t best : {std::size_t{0}, count / 3, count - 2}) {
      const TrainingCurves curves = thin_history(falling_losses(count), best, {});
      EXPECT_LE(curves.epoch.size(), kMostCurvePoints) << count;
      EXPECT_GE(curves.epoch.size(), kMostCurvePoints / 2) << count;
      EXPECT_EQ(curves.epoch.front(), 0U);
      EXPECT_EQ(curves.epoch.back(), count - 1);
      EXPECT_TRUE(std::ranges::count(curves.epoch, best) == 1) << count;
      EXPECT_TRUE(std::ranges::is_sorted(curves.epoch));
      for (const auto* list : {&curves.training, &curves.validation, &curves.outcome,
                               &curves.treatment, &curves.information}) {
        EXPECT_EQ(list->size(), curves.epoch.size());
      }
    }
  }
}

TEST(ThinHistory, TotalsAreTheObjectiveAndTheStoppingLoss) {
  ConeOptions options;
  options.gamma = 0.5;
  options.zeta = 0.25;
  const TrainingCurves curves = thin_history(falling_losses(1), 0, options);
  EXPECT_DOUBLE_EQ(curves.training[0], 1 + 0.5 * 2 - 0.25);
  EXPECT_DOUBLE_EQ(curves.validation[0], 3 + 0.5 * 4);
}

TEST(ThinHistory, HasNoValidationWithoutValidationNodes) {
  std::vector<EpochLosses> history = falling_losses(3);
  for (EpochLosses& losses : history) {
    losses.validation_outcome = losses.validation_treatment =
        std::numeric_limits<double>::quiet_NaN();
  }
  EXPECT_TRUE(thin_history(history, 2, {}).validation.empty());
  EXPECT_EQ(thin_history(history, 2, {}).training.size(), 3U);
}

TEST(ThinHistory, OfAFitIsTheSameAtAnyNumberOfThreads) {
  const Dataset data = testing::simulated_network(150);
  PlanOptions plan;
  plan.folds = 2;
  ConeOptions options = testing::small_options();
  options.epochs = 5;
  const ConeFit one = fit_cone(Context({.seed = 3, .threads = 1}), data, plan, options);
  const ConeFit many = fit_cone(Context({.seed = 3, .threads = 4}), data, plan, options);
  for (std::size_t k = 0; k < one.folds.size(); ++k) {
    const FoldTraining& a = one.folds[k].training;
    const FoldTraining& b = many.folds[k].training;
    EXPECT_EQ(a.curves.epoch.size(), a.epochs + 1);
    EXPECT_EQ(a.curves.epoch, b.curves.epoch);
    EXPECT_EQ(a.curves.training, b.curves.training);
    EXPECT_EQ(a.curves.validation, b.curves.validation);
    EXPECT_EQ(a.curves.information, b.curves.information);
    // The saved weights are those with the lowest validation loss.
    const auto best = std::ranges::min_element(a.curves.validation);
    EXPECT_EQ(a.curves.epoch[static_cast<std::size_t>(best - a.curves.validation.begin())],
              a.best_epoch);
  }
}

}  // namespace
}  // namespace cone

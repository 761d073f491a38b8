#include "nuisance/prediction_bounds.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "data/split.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/network_learner.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

/// The scored nodes lie far from those fitted on, where a model that extrapolates predicts outcomes
/// far outside the observed range.
struct FarAway {
  Dataset data;
  FitPlan plan;

  FarAway() {
    testing::Simulated world = testing::simulate({.nodes = 400, .features = 3}, 4);
    Split split;
    for (NodeIndex i = 0; i < 400; ++i) {
      (i < 12 ? split.test : i < 100 ? split.validation : split.train).push_back(i);
      if (i < 12) world.x[i][1] = 30;
    }
    world.data.features.matrix = testing::sparse_from_rows(world.x);
    data = world.data;
    plan = split_plan(split);
  }
};

TEST(PredictionBounds, AreHalfTheRangeBeyondTheOutcomesFittedOn) {
  Dataset data;
  data.outcome = {1, 5, 3, 100};
  const std::vector<NodeIndex> fitted = {0, 1, 2};
  const PlausibleRange range = plausible_range(data, fitted);
  EXPECT_EQ(range.low, -1);
  EXPECT_EQ(range.high, 7);

  const std::vector<double> mu0 = {0, 0, 0, -1.5};
  const std::vector<double> mu1 = {7, 8, kNaN, -1};
  OutcomeTable out{.mu = join_arms(std::vector{mu0, mu1})};
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  note_implausible(range, all, 0, mu0, out);
  note_implausible(range, all, 1, mu1, out);
  ASSERT_EQ(out.implausible.size(), 2U);
  EXPECT_EQ(out.implausible[0].row, 3U);
  EXPECT_EQ(out.implausible[0].predicted, -1.5);
  bound_predictions(out);
  EXPECT_EQ(out.mu(3, 0), -1);
  EXPECT_EQ(out.mu(1, 1), 7);
  EXPECT_TRUE(std::isnan(out.mu(2, 1))) << "a failed prediction must not pass for a high one";
}

TEST(PredictionBounds, ApplyToNetworksAndKeepTheOriginalPrediction) {
  const FarAway far;
  ConeOptions options;
  options.hidden = 16;
  options.learning_rate = 0.02;
  const OutcomeTable predicted =
      *NetworkLearner(options).fit(Context({.seed = 1, .threads = 2}), far.data, far.plan).outcome;
  const PlausibleRange range = plausible_range(far.data, far.plan.tasks[0].fit);
  EXPECT_TRUE(predicted.bounded);
  ASSERT_FALSE(predicted.implausible.empty());
  for (const double mu : predicted.mu.values()) EXPECT_LE(mu, range.high);
  for (const ImplausiblePrediction& p : predicted.implausible) {
    EXPECT_GT(p.predicted, range.high);
    EXPECT_EQ(p.limit, range.high);
    EXPECT_EQ(predicted.mu(p.row, p.arm), p.limit);
  }
}

TEST(PredictionBounds, AreOnlyNotedForLinearModels) {
  const FarAway far;
  const OutcomeTable predicted = *LinearLearner(LinearModel::kOls2, {})
                                      .fit(Context({.seed = 1, .threads = 2}), far.data, far.plan)
                                      .outcome;
  EXPECT_FALSE(predicted.bounded);
  ASSERT_EQ(predicted.implausible.size(), 24U) << "both arms of the twelve";
  for (const ImplausiblePrediction& p : predicted.implausible) {
    EXPECT_EQ(predicted.mu(p.row, p.arm), p.predicted);
  }
}

}  // namespace
}  // namespace cone

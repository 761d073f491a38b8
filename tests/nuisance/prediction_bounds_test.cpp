#include "nuisance/prediction_bounds.hpp"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "nuisance/network_model.hpp"
#include "nuisance/simulated_data.hpp"

namespace cone {
namespace {

/// The scored nodes lie far from those fitted on, where a model that goes on as before predicts
/// outcomes that nobody has seen.
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

  OutcomePredictions out;
  out.mu0 = {0, 0, 0, -1.5};
  out.mu1 = {7, 8, std::numeric_limits<double>::quiet_NaN(), -1};
  const std::vector<NodeIndex> all = {0, 1, 2, 3};
  note_implausible(range, all, 0, out.mu0, out);
  note_implausible(range, all, 1, out.mu1, out);
  ASSERT_EQ(out.implausible.size(), 2U);
  EXPECT_EQ(out.implausible[0].node, 3U);
  EXPECT_EQ(out.implausible[0].predicted, -1.5);
  bound_predictions(out);
  EXPECT_EQ(out.mu0[3], -1);
  EXPECT_EQ(out.mu1[1], 7);
  EXPECT_TRUE(std::isnan(out.mu1[2])) << "a failed prediction must not pass for a high one";
}

TEST(PredictionBounds, HoldForNetworksAndKeepWhatWasPredicted) {
  const FarAway far;
  ConeOptions options;
  options.hidden = 16;
  options.learning_rate = 0.02;
  const auto predicted = predict_by_networks(Context(1, 2), far.data, far.plan, options);
  const PlausibleRange range = plausible_range(far.data, far.plan.tasks[0].fit);
  EXPECT_TRUE(predicted.bounded);
  ASSERT_FALSE(predicted.implausible.empty());
  for (const NodeIndex i : far.plan.scored) {
    EXPECT_LE(predicted.mu0[i], range.high);
    EXPECT_LE(predicted.mu1[i], range.high);
  }
  for (const ImplausiblePrediction& p : predicted.implausible) {
    EXPECT_GT(p.predicted, range.high);
    EXPECT_EQ(p.limit, range.high);
    EXPECT_EQ((p.arm == 1 ? predicted.mu1 : predicted.mu0)[p.node], p.limit);
  }
}

TEST(PredictionBounds, AreOnlyNotedForLinearModels) {
  const FarAway far;
  const auto predicted = predict_outcomes(Context(1, 2), far.data, far.plan, OutcomeModel::kOls2,
                                          testing::three_policies(400).view(), {});
  EXPECT_FALSE(predicted.bounded);
  ASSERT_EQ(predicted.implausible.size(), 24U) << "both arms of the twelve";
  for (const ImplausiblePrediction& p : predicted.implausible) {
    EXPECT_EQ((p.arm == 1 ? predicted.mu1 : predicted.mu0)[p.node], p.predicted);
  }
}

}  // namespace
}  // namespace cone

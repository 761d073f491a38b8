#include "study/tune.hpp"

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/options.hpp"

#include "cone_networks/cone_fit.hpp"
#include "support/small_network.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::simulated_network;
using testing::small_options;
using testing::TemporaryFolder;

constexpr double kDivergingRate = 1e30;

ConeOptions point_with_rate(double learning_rate) {
  ConeOptions options = small_options();
  options.epochs = 8;
  options.learning_rate = learning_rate;
  return options;
}

TuneOptions three_folds(int tune_folds) {
  TuneOptions options{.tune_folds = tune_folds};
  options.plan.folds = 3;
  return options;
}

TEST(Tune, ScoresAreTheValidationLossesOfTheFullFit) {
  const TemporaryFolder folder;
  const Dataset data = simulated_network(150);
  const Context context({.seed = 5, .threads = 2});
  const std::vector<ConeOptions> grid = {point_with_rate(0.001), point_with_rate(0.02)};
  const Tuning tuning =
      tune(context, data, grid, three_folds(2), UnitWork{UnitStore(folder.path())});
  ASSERT_EQ(tuning.ranked.size(), 2U);
  EXPECT_LE(tuning.ranked[0].score, tuning.ranked[1].score);
  for (const TunedPoint& point : tuning.ranked) {
    const ConeFit fit = fit_cone(context, data, three_folds(2).plan, point.options);
    const FoldTraining& first = fit.folds[0].training;
    const FoldTraining& second = fit.folds[1].training;
    EXPECT_EQ(point.outcome_error, first.arm_network_mse / 2 + second.arm_network_mse / 2);
    EXPECT_EQ(point.propensity_loss, first.propensity_loss / 2 + second.propensity_loss / 2);
    EXPECT_EQ(point.score, point.outcome_error + point.propensity_loss);
  }
}

TEST(Tune, ScoresDoNotDependOnTheOutcomesOfTheScoredNodes) {
  const TemporaryFolder folder;
  Dataset data = simulated_network(150);
  const Context context({.seed = 5, .threads = 2});
  const std::vector<ConeOptions> grid = {point_with_rate(0.02)};
  const UnitStore store(folder.path());
  const Tuning before = tune(context, data, grid, three_folds(1), UnitWork{store});
  const FitPlan plan = make_plan(context, data, three_folds(1).plan, context.seed());
  for (const NodeIndex i : plan.tasks[0].score) data.outcome[i] += 100;
  const Tuning after = tune(context, data, grid, three_folds(1), UnitWork{store});
  EXPECT_EQ(after.units.num_reused, 0U);  // other data, other units
  EXPECT_EQ(before.ranked[0].score, after.ranked[0].score);
}

TEST(Tune, APointThatDivergesComesLastWithAReason) {
  const TemporaryFolder folder;
  const Dataset data = simulated_network(150);
  const std::vector<ConeOptions> grid = {point_with_rate(kDivergingRate), point_with_rate(0.02)};
  const Tuning tuning = tune(Context({.seed = 1, .threads = 2}), data, grid, three_folds(1),
                             UnitWork{UnitStore(folder.path())});
  EXPECT_EQ(tuning.ranked[0].options.learning_rate, 0.02);
  EXPECT_NE(tuning.ranked[1].failure.find("diverged"), std::string::npos);
  EXPECT_EQ(tuning.units.num_failed, 1U);
  EXPECT_NE(tuning_text(tuning).find("1 failed: training diverged"), std::string::npos);
}

TEST(Tune, AGridThatFailsAltogetherIsAnError) {
  const TemporaryFolder folder;
  const Dataset data = simulated_network(150);
  const std::vector<ConeOptions> grid = {point_with_rate(kDivergingRate)};
  EXPECT_THROW(tune(Context({.seed = 1, .threads = 2}), data, grid, three_folds(1),
                    UnitWork{UnitStore(folder.path())}),
               Error);
}

TEST(Tune, TheBestPointCanBeReadBackFromItsFile) {
  const TemporaryFolder folder;
  const Dataset data = simulated_network(150);
  const std::vector<ConeOptions> grid = {point_with_rate(0.001), point_with_rate(0.02)};
  const Tuning tuning = tune(Context({.seed = 1, .threads = 2}), data, grid, three_folds(1),
                             UnitWork{UnitStore(folder.path())});
  const auto file = folder.write("best.json", best_options_json(tuning).dump(2));
  EXPECT_EQ(canonical_text(read_option_file<ConeOptions>(file)),
            canonical_text(tuning.ranked[0].options));
}

TEST(Tune, DataWithoutOutcomesAndTooManyFoldsAreRefused) {
  const TemporaryFolder folder;
  const UnitStore store(folder.path());
  Dataset data = simulated_network(150);
  const std::vector<ConeOptions> grid = {point_with_rate(0.02)};
  EXPECT_THROW(
      tune(Context({.seed = 1, .threads = 1}), data, grid, three_folds(4), UnitWork{store}), Error);
  TuneOptions split{.tune_folds = 2};
  split.plan.protocol = Protocol::kSplit;
  EXPECT_THROW(tune(Context({.seed = 1, .threads = 1}), data, grid, split, UnitWork{store}), Error);
  data.treatment.clear();
  data.outcome.clear();
  EXPECT_THROW(
      tune(Context({.seed = 1, .threads = 1}), data, grid, three_folds(1), UnitWork{store}), Error);
}

TEST(Tune, TheDefaultGridIsAGrid) {
  EXPECT_GT(expand_grid(ConeOptions{}, default_tuning_grid()).size(), 1U);
}

}  // namespace
}  // namespace cone

#include "study/effects.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "nuisance/linear_learner.hpp"
#include "study/joined_estimates.hpp"
#include "study/small_networks.hpp"
#include "study/value_study.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

EffectsTable small_effects(int threads, const std::filesystem::path& folder) {
  const std::vector<std::string> rows = {"dm_ols2", "network_dm"};
  return reproduce_effects(Context({.threads = threads}), testing::small_study_networks(250), 2,
                           rows, UnitWork{UnitStore(folder)});
}

TEST(JoinedPlan, FitsOnAllNodesOfATaskWithoutSelection) {
  const FitPlan plan{.tasks = {{.fit = {1, 4, 6},
                                .score = {0, 2},
                                .selection = {{.fit = {1, 4, 6}, .score = {3, 5}}}}},
                     .scored = {0, 2}};
  const FitPlan joined = join_selection(plan);
  ASSERT_EQ(joined.tasks.size(), 1U);
  EXPECT_EQ(joined.tasks[0].fit, (std::vector<NodeIndex>{1, 3, 4, 5, 6}));
  EXPECT_EQ(joined.tasks[0].score, plan.tasks[0].score);
  EXPECT_TRUE(joined.tasks[0].selection.empty());
  EXPECT_EQ(joined.scored, plan.scored);
  require_valid(joined, 7);
}

TEST(JoinedPlan, InnerFoldsOfCrossFittingAddNothing) {
  const auto networks = testing::small_study_networks(250);
  const LoadedData data =
      simulate_data(Context({.seed = 1, .threads = 1}), networks[0].network, OutcomeOptions{}, 0)
          .data;
  const FitPlan plan = cross_fit_plan(data.observed, 5, 3, 1);
  const FitPlan joined = join_selection(plan);
  for (std::size_t k = 0; k < plan.tasks.size(); ++k) {
    EXPECT_EQ(joined.tasks[k].fit, plan.tasks[k].fit);
  }
}

TEST(JoinedPlan, AppliesToTheNetworkRidgeOnly) {
  EXPECT_TRUE(is_network_row("network_dm"));
  EXPECT_TRUE(is_network_row("network_dr"));
  EXPECT_FALSE(is_network_row("dm_nn"));
  EXPECT_FALSE(is_network_row("cone_dm"));
  EXPECT_FALSE(is_network_row("oracle topics"));
}

TEST(Effects, ErrorsAreThoseOfTheTestNodes) {
  const auto networks = testing::small_study_networks(250);
  const StudySetting setting = effects_setting(networks[0], 0.5, 7);
  const Unit unit = effects_unit(setting, 1, {.label = "dm_ols2", .estimator = "dm_ols2"});
  const Context context({.seed = unit.identity.seed, .threads = 1});
  const auto result = unit.run(context);
  const LoadedData data =
      simulate_data(Context({.seed = 7, .threads = 1}), networks[0].network,
                    {.world = World::kIndividualEffects, .kappa1 = 10, .kappa2 = 0.5, .noise = 1},
                    1)
          .data;
  const FitPlan plan =
      make_plan(context, data.observed, {.protocol = Protocol::kSplit}, context.seed());
  EXPECT_EQ(plan.scored.size(), 50U);
  const Matrix<double> mu =
      LinearLearner(LinearModel::kOls2, {}).fit(context, data.observed, plan).outcome->mu;
  double squares = 0;
  double total = 0;
  for (std::size_t k = 0; k < 50; ++k) {
    const auto truth = data.truth->outcomes().row(plan.scored[k]);
    const double error = mu(k, 1) - mu(k, 0) - (truth[1] - truth[0]);
    squares += error * error;
    total += error;
  }
  EXPECT_NEAR(result.at("root_pehe").get<double>(), std::sqrt(squares / 50), 1e-12);
  EXPECT_NEAR(result.at("ate_error").get<double>(), std::abs(total / 50), 1e-12);
}

TEST(Effects, AreTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  const testing::TemporaryFolder first;
  const testing::TemporaryFolder second;
  const EffectsTable one = small_effects(1, first.path());
  const EffectsTable four = small_effects(4, second.path());
  EXPECT_EQ(report_effects(one).json, report_effects(four).json);
  EXPECT_EQ(one.run.num_units, 30U);  // three strengths, two replicates, five rows
  const EffectsTable again = small_effects(2, first.path());
  EXPECT_EQ(again.run.num_reused, 30U);
  EXPECT_EQ(report_effects(one).text(), report_effects(again).text());
  EXPECT_EQ(report_effects(one).table.csv(), report_effects(again).table.csv());
}

TEST(Effects, TheOracleHasTheSmallestError) {
  const testing::TemporaryFolder folder;
  const EffectsTable table = small_effects(2, folder.path());
  ASSERT_EQ(table.rows,
            (std::vector<std::string>{"dm_ols2", "network_dm", "network_dm, undersmoothing 1",
                                      "network_dm, shrunken effects", "oracle topics"}));
  for (std::size_t k = 0; k < 3; ++k) {
    const auto root_pehe = [&](std::size_t row) { return table.cells[0][row][k].root_pehe.mean; };
    for (std::size_t row = 0; row < 4; ++row) EXPECT_LT(root_pehe(4), root_pehe(row));
    EXPECT_NE(root_pehe(1), root_pehe(2));
    EXPECT_NE(root_pehe(2), root_pehe(3));
    EXPECT_NEAR(table.cells[0][2][k].ate_error.mean, table.cells[0][3][k].ate_error.mean, 1e-12);
  }
}

TEST(Effects, RowsAreOutcomeModelsOfTheCatalogue) {
  const std::vector<std::string_view> models = outcome_models();
  for (const char* name : {"dm_ols2", "dm_ridge", "dm_nn", "cone_dm", "network_dm"}) {
    EXPECT_NE(std::find(models.begin(), models.end(), name), models.end()) << name;
  }
  EXPECT_EQ(std::find(models.begin(), models.end(), "dm"), models.end());
  const testing::TemporaryFolder folder;
  const std::vector<std::string> rows = {"naive"};
  EXPECT_THROW(reproduce_effects(Context({.threads = 1}), testing::small_study_networks(250), 2,
                                 rows, UnitWork{UnitStore(folder.path())}),
               Error);
}

TEST(Effects, PublishedResultsAreShownForTheirNetworkOnly) {
  EffectsTable table{.networks = {"BlogCatalog", "small"}, .rows = {"dm_ridge"}};
  table.cells.assign(2, {std::vector<EffectsCell>(3)});
  const std::string text = report_effects(table).text();
  EXPECT_NE(text.find("NetDeconf"), std::string::npos);
  EXPECT_NE(text.find("4.54"), std::string::npos);
  EXPECT_EQ(text.find("6.94"), std::string::npos);  // Flickr's
  EXPECT_EQ(report_effects(table).json["networks"][1]["published"].size(), 0U);
}

}  // namespace
}  // namespace cone

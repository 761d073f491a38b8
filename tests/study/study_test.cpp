#include "study/study.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"
#include "cone/policy.hpp"
#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "data/split.hpp"
#include "nuisance/linear_learner.hpp"
#include "study/figure2.hpp"
#include "study/joined_estimates.hpp"
#include "study/table2.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::TemporaryFolder;

std::vector<StudyNetwork> tiny_networks() {
  NetworkOptions options;
  options.nodes = 150;
  options.mean_degree = 8;
  options.topics = 4;
  options.words = 60;
  options.words_per_node = 12;
  std::vector<StudyNetwork> networks;
  networks.push_back(
      {"tiny", synthetic_topic_network(Context({.seed = 3, .threads = 1}), options), "checksum"});
  return networks;
}

StudyOptions tiny_study() {
  StudyOptions options;
  options.simulations = 2;
  options.runs = 2;
  options.tune = false;
  return options;
}

TEST(ErrorSummary, FollowsTheDefinitions) {
  const ErrorSummary summary = summarise_errors({{0.3, -0.1}, {0.2, 0.2}});
  EXPECT_NEAR(summary.rmse, std::sqrt((0.05 + 0.04) / 2), 1e-12);
  EXPECT_NEAR(summary.mae, 0.2, 1e-12);
  EXPECT_NEAR(summary.bias, 0.15, 1e-12);
  EXPECT_NEAR(summary.median_error, 0.2, 1e-12);
  EXPECT_NEAR(summary.mae_error, 0, 1e-12);
  // Of the mean of squares: sd(0.05, 0.04)/√2 = 0.005.
  EXPECT_NEAR(summary.rmse_error, 0.005 / (2 * summary.rmse), 1e-12);
}

TEST(ErrorSummary, MissingValuesAreCountedAndExcluded) {
  const double missing = std::nan("");
  const ErrorSummary summary = summarise_errors({{0.3, missing}, {missing, missing}, {0.1, 0.1}});
  EXPECT_EQ(summary.num_missing, 3U);
  EXPECT_NEAR(summary.mae, 0.2, 1e-12);
  EXPECT_TRUE(std::isnan(summarise_errors({{missing}, {missing}}).rmse));
}

TEST(Study, TheTruthIsThatOfTheTestNodes) {
  const TemporaryFolder folder;
  const auto networks = tiny_networks();
  const auto settings = study_settings(networks, Normalisation::kNone, 0);
  ASSERT_EQ(settings.size(), 2U);
  const MethodGroup& group = method_groups().front();
  const auto result = study_unit(settings[0], 1, 0, group, {}).run(Context({.threads = 1}));
  const LoadedData data = simulate_setting(Context({.threads = 1}), settings[0], 1);
  const Split split = make_split(data.observed, {}, 0);
  const auto policy = random_weights_policy(1)->probabilities(
      Context({.threads = 1}), data.observed.features, data.observed.graph);
  EXPECT_EQ(result.at("truth").get<double>(), data.truth->value(policy.view(), split.test));
  EXPECT_EQ(result.at("values").size(), group.methods.size());
}

TEST(Study, AGroupWithoutSelectionFitsOnTrainAndValidation) {
  const auto networks = tiny_networks();
  const auto settings = study_settings(networks, Normalisation::kNone, 0);
  constexpr std::array kMethods = {StudyMethod{"dm_ols2", "dm_ols2"},
                                   StudyMethod{"dr_ols2", "dr_ols2"}};
  const MethodGroup joined{"joined", kMethods, FitNodes::kTrainAndValidation};
  const MethodGroup alone{"alone", kMethods};
  const Unit unit = study_unit(settings[0], 1, 0, joined, {});
  const Context context({.seed = unit.identity.seed, .threads = 1});
  const auto result = unit.run(context);
  EXPECT_TRUE(unit.accepts(result));

  const LoadedData data = simulate_setting(Context({.threads = 1}), settings[0], 1);
  Split split = make_split(data.observed, {}, unit.identity.seed);
  std::vector<NodeIndex> both = split.train;
  both.insert(both.end(), split.validation.begin(), split.validation.end());
  std::sort(both.begin(), both.end());
  const FitPlan plan{.tasks = {{.fit = both, .score = split.test}}, .scored = split.test};
  const auto policy =
      random_weights_policy(1)->probabilities(context, data.observed.features, data.observed.graph);
  const OutcomeTable outcome =
      *LinearLearner(LinearModel::kOls2, {}).fit(context, data.observed, plan).outcome;
  const std::vector<double> expected =
      expected_outcome(take_rows(policy.view(), split.test).view(), outcome.mu.view());
  EXPECT_NEAR(result.at("values").at("dm_ols2").get<double>(), mean(expected), 1e-12);
  EXPECT_EQ(result.at("truth").get<double>(), data.truth->value(policy.view(), split.test));

  const auto on_train = study_unit(settings[0], 1, 0, alone, {}).run(context);
  EXPECT_EQ(result.at("truth"), on_train.at("truth"));
  EXPECT_NE(result.at("values").at("dm_ols2"), on_train.at("values").at("dm_ols2"));
  EXPECT_NE(result.at("values").at("dr_ols2"), on_train.at("values").at("dr_ols2"));
}

TEST(Study, TheJointModelIsFittedToAllNodesAndEvaluatedOnTheTestNodesOfEveryRun) {
  const auto networks = tiny_networks();
  const auto settings = study_settings(networks, Normalisation::kNone, 0);
  const auto groups = method_groups();
  const auto group = std::ranges::find(groups, FitNodes::kAll, &MethodGroup::fit_nodes);
  ASSERT_NE(group, groups.end());
  const Unit unit = simulation_unit(settings[0], 1, 3, *group);
  const Context context({.seed = unit.identity.seed, .threads = 1});
  const auto result = unit.run(context);
  EXPECT_TRUE(unit.accepts(result));
  EXPECT_FALSE(simulation_unit(settings[0], 1, 4, *group).accepts(result));

  const LoadedData data = simulate_setting(Context({.threads = 1}), settings[0], 1);
  const auto policies =
      resolve_policies(context, data.observed, std::vector<std::string>{"random-weights:1"});
  EvaluateOptions options = study_evaluation();
  options.estimators = {"network_joint"};
  const MatrixView<const double> policy = policies.front().probability.view();
  const EvaluationRecord record = evaluate(context, data, policies, options);
  const auto& rows = record.policies.front().estimates;
  const auto row = std::ranges::find(rows, "network_joint", &Estimate::estimator);

  std::vector<std::vector<NodeIndex>> samples(1);
  samples[0].resize(data.observed.num_nodes());
  std::iota(samples[0].begin(), samples[0].end(), NodeIndex{0});
  for (std::uint64_t run = 0; run < 3; ++run) {
    const std::uint64_t seed = study_unit(settings[0], 1, run, groups.front(), {}).identity.seed;
    samples.push_back(make_split(data.observed, {}, seed).test);
  }
  const std::vector<double> values =
      estimate_by_joint_model(context, data.observed, policy, samples, options);
  EXPECT_NEAR(values[0], row->value, 1e-9);
  for (std::size_t run = 0; run < 3; ++run) {
    const auto& of_run = result.at("runs").at(run);
    EXPECT_EQ(of_run.at("values").at("network_joint").get<double>(), values[run + 1]);
    EXPECT_EQ(of_run.at("truth").get<double>(), data.truth->value(policy, samples[run + 1]));
  }
}

TEST(Study, TableTwoOfSomeEstimatorsHasTheirRowsOfTheWholeTable) {
  const auto networks = tiny_networks();
  const TemporaryFolder folder;
  const UnitWork work{UnitStore(folder.path())};
  const Table2 whole = reproduce_table2(Context({.threads = 2}), networks, tiny_study(), {}, work);
  const std::vector<std::string> chosen = {"network_joint", "dm_ridge", "network_dm"};
  const Table2 some =
      reproduce_table2(Context({.threads = 2}), networks, tiny_study(), chosen, work);
  EXPECT_EQ(some.run.num_reused, some.run.num_units);
  EXPECT_EQ(some.methods, (std::vector<std::string>{"dm_ridge", "network_dm", "network_joint"}));
  for (std::size_t m = 0; m < some.methods.size(); ++m) {
    const auto at = std::ranges::find(whole.methods, some.methods[m]) - whole.methods.begin();
    const Table2Cell& expected = whole.cells[static_cast<std::size_t>(at)][1];
    EXPECT_EQ(some.cells[m][1].ours.rmse, expected.ours.rmse) << some.methods[m];
    EXPECT_EQ(some.cells[m][1].p_network_better, expected.p_network_better);
    EXPECT_FALSE(some.cells[m][1].p_cone_better.has_value());
  }
  EXPECT_THROW(reproduce_table2(Context({.threads = 1}), networks, tiny_study(),
                                std::vector<std::string>{"network_mm"}, work),
               Error);
}

TEST(Study, TableTwoIsTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  const auto networks = tiny_networks();
  const TemporaryFolder first;
  const TemporaryFolder second;
  const Table2 one = reproduce_table2(Context({.threads = 1}), networks, tiny_study(), {},
                                      UnitWork{UnitStore(first.path())});
  const Table2 five = reproduce_table2(Context({.threads = 5}), networks, tiny_study(), {},
                                       UnitWork{UnitStore(second.path())});
  EXPECT_EQ(report_table2(one).json, report_table2(five).json);
  for (std::size_t m = 0; m < one.methods.size(); ++m) {
    const Table2Cell& cell = one.cells[m][0];
    EXPECT_EQ(cell.ours.num_missing, 0U) << one.methods[m];
    EXPECT_EQ(cell.p_cone_better.has_value(), one.methods[m] != "cone") << one.methods[m];
    EXPECT_EQ(cell.p_network_better.has_value(), one.methods[m] != "network_dm") << one.methods[m];
  }
  EXPECT_EQ(one.run.num_reused, 0U);
  const Table2 again = reproduce_table2(Context({.threads = 2}), networks, tiny_study(), {},
                                        UnitWork{UnitStore(first.path())});
  EXPECT_EQ(again.run.num_reused, again.run.num_units);
  EXPECT_EQ(report_table2(one).text(), report_table2(again).text());
  EXPECT_EQ(report_table2(one).table.csv(), report_table2(again).table.csv());
}

TEST(Study, MoreSimulationsReuseTheFirstOnes) {
  const auto networks = tiny_networks();
  const TemporaryFolder folder;
  StudyOptions options = tiny_study();
  options.runs = 1;
  const UnitStore store(folder.path());
  const Table2 few =
      reproduce_table2(Context({.threads = 2}), networks, options, {}, UnitWork{store});
  options.simulations = 3;
  const Table2 more =
      reproduce_table2(Context({.threads = 2}), networks, options, {}, UnitWork{store});
  EXPECT_EQ(more.run.num_reused, few.run.num_units);
}

TEST(Study, FigureTwoCoversTheGridAtKappaTwoOnly) {
  const auto networks = tiny_networks();
  const TemporaryFolder folder;
  StudyOptions options = tiny_study();
  options.runs = 1;
  const Figure2 figure = reproduce_figure2(Context({.threads = 2}), networks, options,
                                           UnitWork{UnitStore(folder.path())});
  ASSERT_EQ(figure.maps.size(), 1U);
  EXPECT_EQ(figure.maps[0].setting, "tiny, kappa2 = 2");
  EXPECT_EQ(figure.run.num_units, 50U);
  for (const auto& row : figure.maps[0].cells) {
    for (const ErrorSummary& cell : row) EXPECT_TRUE(std::isfinite(cell.rmse));
  }
  const std::string svg = figure2_svg(figure);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  std::size_t cells = 0;
  for (std::size_t at = svg.find("<rect x="); at != std::string::npos;
       at = svg.find("<rect x=", at + 1)) {
    ++cells;
  }
  EXPECT_EQ(cells, 50U);
}

}  // namespace
}  // namespace cone

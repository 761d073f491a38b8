#include "study/value_study.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "cone/error.hpp"
#include "cone/policy.hpp"

#include "base/numeric.hpp"
#include "network_ridge/groups.hpp"
#include "simulate/self_contained.hpp"
#include "study/ablation.hpp"
#include "study/small_networks.hpp"
#include "study/topic_features.hpp"
#include "study/worlds.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

ValueTable small_table(int threads, const std::filesystem::path& folder, int simulations = 2) {
  const auto networks = testing::small_study_networks();
  const std::vector<std::string> rows = {"naive", "dm_ridge", "cone"};
  return reproduce_value(Context({.threads = threads}), networks, simulations, rows,
                         UnitWork{UnitStore(folder)});
}

/// A table of naive, cone and network_dm with given errors.
ValueTable table_of_errors(const std::vector<double>& naive, const std::vector<double>& cone,
                           const std::vector<double>& network) {
  ValueTable table{.settings = {"world"},
                   .policies = {{kStudyPolicies.begin(), kStudyPolicies.end()}},
                   .methods = {"naive", "cone", "network_dm"}};
  table.cells.resize(1);
  for (std::size_t p = 0; p < kStudyPolicies.size(); ++p) {
    auto& methods = table.cells[0].emplace_back();
    for (const auto& errors : {naive, cone, network}) {
      ValueCell cell{.by_simulation = errors};
      std::vector<std::vector<double>> runs;
      for (const double error : errors) runs.push_back({error});
      cell.errors = summarise_errors(runs);
      methods.push_back(cell);
    }
  }
  return table;
}

TEST(TopicFeatures, AreTopicsSumsOverNeighboursAndTheDegree) {
  TopicNetwork network;
  const std::vector<Edge> edges = {{0, 1}, {0, 2}};
  network.graph = build_graph(Context({.threads = 1}), 4, edges);
  network.topics = Matrix<double>(4, 2);
  for (std::size_t i = 0; i < 4; ++i) {
    network.topics(i, 0) = 0.1 * static_cast<double>(i);
    network.topics(i, 1) = 1 - network.topics(i, 0);
  }
  const FeatureTable features = topic_features(network);
  EXPECT_EQ(features.num_dense, 5U);
  ASSERT_EQ(features.names.size(), 5U);
  const auto values = [&](std::size_t i) { return features.matrix.row(i).dense; };
  EXPECT_NEAR(values(0)[2], 0.1 + 0.2, 1e-15);
  EXPECT_NEAR(values(0)[3], 0.9 + 0.8, 1e-15);
  EXPECT_EQ(values(0)[4], 2);
  EXPECT_EQ(values(1)[3], 1);
  EXPECT_EQ(values(3)[2], 0);
  EXPECT_EQ(values(3)[4], 0);
  EXPECT_NEAR(values(3)[0], 0.3, 1e-15);
}

TEST(ValueStudy, IsTheSameAtAnyNumberOfThreadsAndWhenResumed) {
  const testing::TemporaryFolder first;
  const testing::TemporaryFolder second;
  const ValueTable one = small_table(1, first.path());
  const ValueTable four = small_table(4, second.path());
  EXPECT_EQ(one.run.num_reused, 0U);
  EXPECT_EQ(one.run.num_units, 12U);  // two settings, two simulations, three groups
  EXPECT_EQ(report_values(one).json, report_values(four).json);
  const ValueTable again = small_table(2, first.path());
  EXPECT_EQ(again.run.num_reused, 12U);
  EXPECT_EQ(report_values(one).text(), report_values(again).text());
  EXPECT_EQ(report_values(one).table.csv(), report_values(again).table.csv());
  EXPECT_EQ(small_table(2, first.path(), 3).run.num_reused, 12U);
}

TEST(ValueStudy, EveryRowIsComparedWithTheTruthOfAllNodes) {
  const auto networks = testing::small_study_networks();
  const StudySetting setting{.name = "a", .network = &networks[0], .seed = 7};
  const std::vector<std::string_view> names = {"naive", "cone", "network_dm", "dm_ridge",
                                               "network_dr"};
  const std::vector<ValueGroup> groups = group_estimators(names);
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[2].rows.size(), 2U);
  EXPECT_EQ(groups[0].rows.size(), 2U);
  EXPECT_EQ(groups[0].rows[1].label, "dm_ridge");
  EXPECT_EQ(groups[1].name, "cone");
  const LoadedData data =
      simulate_data(Context({.seed = 7, .threads = 1}), networks[0].network, OutcomeOptions{}, 1)
          .data;
  const auto policy = random_weights_policy(1)->probabilities(
      Context({.threads = 1}), data.observed.features, data.observed.graph);
  for (const ValueGroup& group : {groups[0], groups[2], oracle_group()}) {
    const Unit unit = value_unit(setting, 1, group);
    const auto result = unit.run(Context({.seed = unit.identity.seed, .threads = 1}));
    EXPECT_TRUE(unit.accepts(result));
    EXPECT_EQ(result.at("random-weights").at("truth").get<double>(),
              data.truth->value(policy.view()));
    for (const ValueGroup::Row& row : group.rows) {
      EXPECT_TRUE(result.at("treat-none").at("rows").at(row.label).at("value").is_number());
    }
  }
  EXPECT_FALSE(value_unit(setting, 1, groups[0]).accepts({{"random-weights", 1}}));
}

TEST(ValueStudy, CountsTrueVerdictsOfTheDefaultHeadline) {
  const auto networks = testing::small_study_networks();
  const testing::TemporaryFolder folder;
  const std::vector<std::string> rows = {"naive", "network_dm"};
  const auto reproduce = [&] {
    return reproduce_value(Context({.threads = 1}), networks, 2, rows,
                           UnitWork{UnitStore(folder.path())});
  };
  const ValueTable table = reproduce();
  ASSERT_EQ(table.decisions.size(), table.settings.size());
  for (const DecisionClaims& claims : table.decisions) {
    EXPECT_EQ(claims.num_simulations, 2U);
    EXPECT_EQ(claims.ranks.made, 2U);
    EXPECT_LE(claims.supported.made + claims.conditional.made, 6U);
  }
  EXPECT_EQ(report_values(table).json.at("decisions").size(), table.settings.size());
  EXPECT_NE(report_values(table).text().find("rank sets"), std::string::npos);
  EXPECT_EQ(report_values(reproduce()).json, report_values(table).json);
  const std::vector<std::string> naive = {"naive"};
  EXPECT_TRUE(reproduce_value(Context({.threads = 1}), networks, 2, naive,
                              UnitWork{UnitStore(folder.path())})
                  .decisions.empty());
  const std::vector<std::string_view> names = {"network_dm"};
  const Unit unit =
      value_unit({.name = "a", .network = &networks[0], .seed = 7}, 0, group_estimators(names)[0]);
  auto result = unit.run(Context({.seed = 7, .threads = 1}));
  EXPECT_TRUE(unit.accepts(result));
  result.erase("decision");
  EXPECT_FALSE(unit.accepts(result));
}

TEST(ValueStudy, TheOracleUsesTheTopicsInsteadOfTheWords) {
  const auto networks = testing::small_study_networks();
  // Without neighbours' influence the outcome is linear in the topics, of which words are noisy.
  const StudySetting setting{.name = "a",
                             .network = &networks[0],
                             .outcome = {.kappa1 = 10, .kappa2 = 0, .noise = 0.01},
                             .seed = 7};
  const std::vector<std::string_view> names = {"naive"};
  const auto error_of = [&](const ValueGroup& group) {
    const auto part =
        value_unit(setting, 0, group).run(Context({.seed = 7, .threads = 1})).at("treat-all");
    return std::abs(part.at("rows").at(group.rows[0].label).at("value").get<double>() -
                    part.at("truth").get<double>());
  };
  EXPECT_LT(error_of(oracle_group()), 0.01);
  EXPECT_GT(error_of(group_estimators(names)[0]), 0.05);
}

TEST(ValueStudy, MeasuresCoverage) {
  const testing::TemporaryFolder folder;
  const ValueTable table = small_table(2, folder.path());
  const ValueCell& naive = table.cells[0][1][table.find_method("naive").value()];
  EXPECT_EQ(naive.interval.num_intervals, 2U);
  EXPECT_EQ(naive.by_simulation.size(), 2U);
  const double coverage = naive.interval.coverage();
  EXPECT_TRUE(coverage == 0 || coverage == 0.5 || coverage == 1);
  EXPECT_NE(report_values(table).text().find("oracle topics"), std::string::npos);
  EXPECT_NE(report_values(table).markdown().find("**"), std::string::npos);
}

TEST(ValueStudy, RefusesUnknownEstimators) {
  const std::vector<std::string> given = {"naive", "nosuch"};
  EXPECT_THROW(choose_estimators(given, {}), Error);
}

TEST(Worlds, CoverTheNetworksAndEverySyntheticWorld) {
  const auto networks = testing::small_study_networks();
  const auto generated =
      generate_study_networks(Context({.seed = 1, .threads = 1}), {.nodes = 150});
  ASSERT_EQ(generated.size(), 2U);
  EXPECT_GT(generated[0].network.graph.num_edges(), 100U);
  EXPECT_EQ(generated[1].network.graph.num_edges(), 0U);
  const auto settings = world_settings(networks, generated, 5);
  ASSERT_EQ(settings.size(), 18U);
  EXPECT_EQ(settings[0].name, "small, row-normalised");
  EXPECT_EQ(settings[0].outcome.normalisation, Normalisation::kRow);
  EXPECT_EQ(settings[0].outcome.kappa2, 2);
  EXPECT_EQ(settings[8].network, &generated[1]);
  EXPECT_EQ(settings[8].outcome.world, World::kNonlinear);
  EXPECT_EQ(settings[9].name, "blocks");
  for (std::size_t s = 9; s < settings.size(); ++s) {
    EXPECT_EQ(settings[s].network, nullptr);
    EXPECT_NE(settings[s].name, "blocks5");  // kStudyPolicies are for two arms
  }
}

TEST(ValueStudy, ASelfContainedWorldNeedsNoNetwork) {
  const StudySetting setting = self_contained_setting(World::kManyColumns, 7);
  const std::vector<std::string_view> names = {"naive"};
  const Unit unit = value_unit(setting, 3, group_estimators(names)[0]);
  const auto result = unit.run(Context({.seed = unit.identity.seed, .threads = 1}));
  EXPECT_TRUE(unit.accepts(result));
  const LoadedData data =
      simulate_self_contained(Context({.seed = 7, .threads = 1}), World::kManyColumns, 3).data;
  EXPECT_EQ(result.at("treat-all").at("truth").get<double>(),
            mean(arm_column(data.truth->outcomes(), 1)));
  EXPECT_NE(value_unit(setting, 4, group_estimators(names)[0]).identity.id(), unit.identity.id());
  const StudySetting other = self_contained_setting(World::kExponential, 7);
  EXPECT_NE(value_unit(other, 3, group_estimators(names)[0]).identity.id(), unit.identity.id());
}

TEST(ValueStudy, IntervalsAreForTheSampleWhateverTheDefault) {
  const StudySetting setting = self_contained_setting(World::kManyColumns, 7);
  const std::vector<std::string_view> names = {"naive"};
  EvaluateOptions options;
  options.estimator.target = Target::kPopulation;
  const Unit unit = value_unit(setting, 0, group_estimators(names, options)[0]);
  EXPECT_EQ(unit.identity.options.at("evaluation").at("target"), "sample");
}

TEST(Worlds, HarmIsASignificantlyLargerError) {
  const std::vector<double> small = {0.01, -0.011, 0.009, 0.0105, -0.01};
  const std::vector<double> large = {0.1, 0.11, -0.12, 0.1, 0.09};
  const std::vector<double> wild = {0.001, 0.001, 0.001, 0.001, 0.2};
  const auto verdict = [](const ValueTable& table) { return judge_harm(table).front(); };
  const HarmVerdict harm = verdict(table_of_errors(large, small, large));
  EXPECT_EQ(harm.best, "cone");
  EXPECT_NEAR(harm.ratio, 10, 1);
  EXPECT_TRUE(harm.is_harm());
  EXPECT_FALSE(verdict(table_of_errors(large, large, small)).is_harm());
  EXPECT_FALSE(verdict(table_of_errors(large, small, small)).is_harm());
  const HarmVerdict noise = verdict(table_of_errors(large, small, wild));
  EXPECT_GT(noise.ratio, 1.1);
  EXPECT_FALSE(noise.is_harm());
  EXPECT_EQ(judge_harm(table_of_errors(large, small, large)).size(), kStudyPolicies.size());
  EXPECT_NE(report_worlds(table_of_errors(large, small, large)).text().find(" (cone) *"),
            std::string::npos);
  EXPECT_NE(report_worlds(table_of_errors(large, small, wild)).text().find("? (cone)"),
            std::string::npos);
  EXPECT_TRUE(
      report_worlds(table_of_errors(large, small, large)).json["verdicts"][0]["harm"].get<bool>());
}

TEST(Ablation, LeavesOutEachGroupOnceAndTriesEveryUndersmoothing) {
  const std::vector<ValueGroup> groups = ablation_groups();
  ASSERT_EQ(groups.size(), 1 + kGroupSwitches.size() + 3 + 4);
  EXPECT_TRUE(groups[0].options.network_ridge.ridge_groups.empty());
  std::set<std::string> identities;
  const auto networks = testing::small_study_networks();
  const StudySetting setting{.name = "a", .network = &networks[0], .seed = 7};
  for (const ValueGroup& group : groups) {
    EXPECT_TRUE(option_faults(group.options).empty()) << group.name;
    Unit unit = value_unit(setting, 0, group);
    // Options alone must distinguish the rows.
    unit.identity.options.erase("group");
    unit.identity.options.erase("rows");
    EXPECT_TRUE(identities.insert(unit.identity.id()).second) << group.name;
  }
  EXPECT_EQ(groups[1].name, "without own");
  EXPECT_EQ(groups[1].options.network_ridge.ridge_groups.size(), kGroupSwitches.size() - 1);
}

}  // namespace
}  // namespace cone

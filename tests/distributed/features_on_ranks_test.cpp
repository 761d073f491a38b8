// What evaluate() offers, on the nodes of several ranks, which are threads, beside one process:
// complete records are the same.

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cone/policy.hpp"
#include "cone/simulate.hpp"

#include "base/random.hpp"
#include "distributed/compare_records.hpp"
#include "distributed/distribute.hpp"
#include "distributed/rank_data.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/node_table.hpp"
#include "simulate/self_contained.hpp"
#include "support/thread_communicator.hpp"

namespace cone::distributed {
namespace {

using cone::testing::expect_same;
using cone::testing::run_on_ranks;
using cone::testing::take_record;
using nlohmann::ordered_json;

LoadedData simulate(World world) {
  return simulate_self_contained(Context({.seed = 3, .threads = 1}), world, 0).data;
}

/// Where the joint model is fitted: its iterations end at 1e-6 of the norm, on some numbers of
/// ranks one step later.
constexpr double kJointTolerance = 2e-6;
constexpr double kExactTolerance = 1e-8;

struct Scenario {
  LoadedData data;
  std::vector<std::string> policies = {"treat-all", "uniform"};
  EvaluateOptions options;
  double tolerance = kJointTolerance;
};

/// The defaults of one process, without neural networks.
EvaluateOptions default_options() {
  EvaluateOptions options;
  options.estimators = {"network_dm", "dr_ridge"};
  return options;
}

EvaluationInput resolve(const Scenario& run) {
  return {.data = run.data,
          .policies = resolve_policies(Context({.threads = 1}), run.data.observed, run.policies)};
}

ordered_json run_together(const Scenario& run, const EvaluationInput& whole,
                          const Communicator& comm) {
  EngineReport report{.meter = PhaseMeter(comm)};
  const Context context({.threads = 1});
  const EvaluationInput own = distribute_input(comm, comm.is_root() ? &whole : nullptr, report);
  return take_record(evaluate(context, own.data, own.policies, run.options));
}

/// Returns the record of one process.
ordered_json compare(const Scenario& run, const std::vector<std::size_t>& sizes) {
  const EvaluationInput whole = resolve(run);
  const ordered_json alone =
      take_record(evaluate(Context({.threads = 1}), whole.data, whole.policies, run.options));
  for (const std::size_t size : sizes) {
    std::vector<ordered_json> found(size);
    run_on_ranks(size, [&](const Communicator& comm) {
      found[comm.rank()] = run_together(run, whole, comm);
    });
    expect_same(found.front(), alone, run.tolerance, std::to_string(size) + " ranks:");
    for (const ordered_json& of_rank : found) EXPECT_EQ(of_rank, found.front()) << size;
  }
  return alone;
}

TEST(FeaturesOnRanks, CommunityEffectsAndTheJointModel) {
  const ordered_json record =
      compare({.data = simulate(World::kBlocks), .options = default_options()}, {1, 2, 3, 4, 7});
  // Otherwise the comparison shows nothing about them.
  const std::string text = record.dump();
  EXPECT_NE(text.find("communities"), std::string::npos);
  bool is_used = false;
  for (const auto& arm : record.at("diagnostics").at("joint_model")) {
    is_used = is_used || arm.at("trust").get<double>() > 0;
  }
  EXPECT_TRUE(is_used);
}

TEST(FeaturesOnRanks, CommunityEffectsWithoutTheJointModel) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.joint_model = false;
  run.tolerance = kExactTolerance;
  compare(run, {1, 3, 4});
}

TEST(FeaturesOnRanks, FiveArms) {
  compare({.data = simulate(World::kBlocks5),
           .policies = {"always:1", "uniform"},
           .options = default_options()},
          {3});
}

TEST(FeaturesOnRanks, IterativeSolver) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.network_ridge.ridge_solver = RidgeSolverChoice::kIterative;
  run.options.estimators = {"network_dm"};
  compare(run, {2, 3});
}

TEST(FeaturesOnRanks, TheExponentialFeature) {
  Scenario run{.data = simulate(World::kExponential), .options = default_options()};
  run.options.network_ridge.ridge_groups = {"own", "neighbour_effects", "exponential"};
  const ordered_json record = compare(run, {2, 3});
  run.options.network_ridge.ridge_groups.pop_back();
  const ordered_json without = compare(run, {});
  EXPECT_NE(record.at("policies"), without.at("policies")) << "the data has the feature";
}

TEST(FeaturesOnRanks, RankingsAndBudgets) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  Rng rng(1, Stream::kTest);
  std::vector<double> score;
  for (std::size_t i = 0; i < run.data.observed.num_nodes(); ++i) {
    score.push_back(std::floor(20 * rng.uniform()));
  }
  run.data.observed.kept.push_back({"score", score});
  run.options.estimators = {"network_dm"};
  run.options.joint_model = false;
  run.tolerance = kExactTolerance;
  run.options.budget.rank = {"score"};
  const ordered_json record = compare(run, {1, 2, 3, 4, 7});
  EXPECT_EQ(record.at("budget_curves").size(), 1U);
}

TEST(FeaturesOnRanks, SurveyWeightsAndCosts) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  Dataset& data = run.data.observed;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    data.weight.push_back(1 + static_cast<double>(i % 3));
  }
  run.options.cost = {"1=0.1"};
  run.options.budget.rank = {data.features.names.front()};
  compare(run, {3});
}

TEST(FeaturesOnRanks, GivenClusters) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  Dataset& data = run.data.observed;
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    data.cluster.push_back(static_cast<std::uint32_t>(i / 10));
  }
  compare(run, {1, 3});
}

TEST(FeaturesOnRanks, NetworkPropensitiesAndRepeats) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.estimators = {"network_dr", "network_joint"};
  run.options.repeats = 2;
  compare(run, {3});
}

/// A table, whose equations are products of features.
TEST(FeaturesOnRanks, ATableWithoutANetwork) {
  Scenario run{.data = simulate(World::kExponential), .options = default_options()};
  run.options.network_ridge.ridge_groups = {"own", "exponential"};
  Dataset& data = run.data.observed;
  data.graph = Graph(std::vector<std::uint64_t>(data.num_nodes() + 1, 0), {});
  const ordered_json record = compare(run, {1, 3, 4});
  EXPECT_EQ(record.at("diagnostics").at("network_ridge").at("solver"), "low_rank");
}

TEST(FeaturesOnRanks, AFittedModelAndTheTableOfNodes) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.estimators = {"network_dm"};
  const EvaluationInput whole = resolve(run);
  const Context context({.threads = 1});
  FittedModel model;
  model.network_ridge =
      fit_network_ridge(context, whole.data.observed, run.options.plan, run.options.network_ridge);
  NodeTable nodes;
  const ordered_json alone =
      take_record(evaluate(context, whole.data, whole.policies, run.options, &model, &nodes));
  run_on_ranks(3, [&](const Communicator& comm) {
    EngineReport report{.meter = PhaseMeter(comm)};
    const EvaluationInput own = distribute_input(comm, comm.is_root() ? &whole : nullptr, report);
    NodeTable found;
    const ordered_json record =
        take_record(evaluate(context, own.data, own.policies, run.options, &model, &found));
    expect_same(record, alone, run.tolerance, "with a model:");
    found = gather_nodes(own.data.observed, std::move(found));
    if (!comm.is_root()) return;
    EXPECT_EQ(found.nodes, nodes.nodes);
    const auto expect_table = [&](Matrix<double> NodeTable::*table) {
      ASSERT_EQ((found.*table).rows(), (nodes.*table).rows());
      for (std::size_t k = 0; k < (nodes.*table).values().size(); ++k) {
        ASSERT_NEAR((found.*table).values()[k], (nodes.*table).values()[k], 1e-8) << k;
      }
    };
    expect_table(&NodeTable::mu);
    expect_table(&NodeTable::propensity);
    expect_table(&NodeTable::weight);
    expect_table(&NodeTable::influence);
  });
}

TEST(FeaturesOnRanks, ASplit) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.plan.protocol = Protocol::kSplit;
  compare(run, {1, 3});
}

TEST(FeaturesOnRanks, CohesionAndSpectralEmbedding) {
  Scenario run{.data = simulate(World::kBlocks), .options = default_options()};
  run.options.estimators = {"cohesion_dm", "spectral_dm", "spectral_dr"};
  run.options.sensitivity_interval = false;
  compare(run, {1, 3});
}

}  // namespace
}  // namespace cone::distributed

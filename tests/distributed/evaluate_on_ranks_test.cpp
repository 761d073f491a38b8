// evaluate() on the nodes of several ranks, which are threads, beside one process.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "cone/policy.hpp"

#include "distributed/compare_records.hpp"
#include "distributed/distribute.hpp"
#include "distributed/rank_data.hpp"
#include "support/thread_communicator.hpp"

namespace cone::distributed {
namespace {

using cone::testing::example;
using cone::testing::expect_same;
using cone::testing::run_on_ranks;
using cone::testing::take_record;
using cone::testing::TemporaryFolder;
using nlohmann::ordered_json;

constexpr double kTolerance = 1e-8;

/// What the record says about policies, differences and diagnostics: the loaders warn of different
/// things.
ordered_json take_results(const EvaluationRecord& record) {
  ordered_json out = take_record(record);
  out.at("data") = out.at("data").at("checksum");
  out.at("diagnostics").erase("warnings");
  return out;
}

struct Evaluation {
  std::filesystem::path folder;
  std::vector<std::string> policies = {"uniform"};
  EvaluateOptions options = on_ranks();
  double tolerance = kTolerance;

  static EvaluateOptions on_ranks() {
    EvaluateOptions options;
    options.estimators = {"network_dm", "dr_ridge", "snips"};
    options.sensitivity_interval = false;
    return options;
  }
};

ordered_json run_alone(const Evaluation& run) {
  const Context context({.threads = 1});
  const LoadedData data = load_dataset(context, run.folder);
  return take_results(
      evaluate(context, data, resolve_policies(context, data.observed, run.policies), run.options));
}

ordered_json run_together(const Evaluation& run, const Communicator& comm) {
  EngineReport report{.meter = PhaseMeter(comm)};
  const Context context({.threads = 1});
  const EvaluationInput input = load_on_ranks(context, comm, run.folder, {}, run.policies, report);
  return take_results(evaluate(context, input.data, input.policies, run.options));
}

void compare(const Evaluation& run, const std::vector<std::size_t>& sizes = {1, 2, 3, 4}) {
  const ordered_json alone = run_alone(run);
  for (const std::size_t size : sizes) {
    std::vector<ordered_json> found(size);
    run_on_ranks(size,
                 [&](const Communicator& comm) { found[comm.rank()] = run_together(run, comm); });
    expect_same(found.front(), alone, run.tolerance, std::to_string(size) + " ranks:");
    for (const ordered_json& of_rank : found) EXPECT_EQ(of_rank, found.front()) << size;
  }
}

TEST(EvaluateOnRanks, ThreeArmsAndNumericFeatures) {
  compare({.folder = example("messages"), .policies = {"always:email", "uniform"}});
}

TEST(EvaluateOnRanks, SensitivityIntervals) {
  Evaluation run{.folder = example("messages"), .policies = {"always:sms"}};
  run.options.sensitivity_interval = true;
  compare(run, {3});
}

TEST(EvaluateOnRanks, EveryEstimatorOfRegressions) {
  Evaluation run{.folder = example("messages"), .policies = {"always:email"}};
  run.options.estimators = {"naive",   "ips",       "snips",       "ips_clipped",
                            "dm_ols1", "dm_ols2",   "dm_ridge",    "dr_ols1",
                            "dr_ols2", "switch_dr", "dr_shrinkage"};
  compare(run, {3});
}

TEST(EvaluateOnRanks, APolicyFileAndFewNodes) {
  compare({.folder = example("coupons"),
           .policies = {(example("coupons") / "policy.csv").string(), "treat-all"}});
}

TEST(EvaluateOnRanks, CountFeatures) {
  const TemporaryFolder folder;
  cone::testing::write_simulation(folder, 300);
  compare({.folder = folder.path(), .policies = {"treat-all", "treat-none"}}, {1, 3});
}

TEST(EvaluateOnRanks, OtherFoldsAndDependence) {
  Evaluation run{.folder = example("messages")};
  run.options.plan.folds = 3;
  run.options.estimator.dependence = Dependence::kNeighbours;
  compare(run, {2});
}

TEST(EvaluateOnRanks, IterativeSolver) {
  const TemporaryFolder folder;
  cone::testing::write_simulation(folder, 400);
  Evaluation run{.folder = folder.path(), .policies = {"treat-all"}};
  run.options.network_ridge.ridge_solver = RidgeSolverChoice::kIterative;
  run.tolerance = 3e-7;  // iterations end at 3e-8 of the solution's norm
  compare(run, {3});
}

TEST(EvaluateOnRanks, RefusesNeuralNetworksByName) {
  Evaluation run{.folder = example("messages")};
  run.options.estimators = {"cone_dr"};
  EXPECT_THROW(run_on_ranks(2, [&](const Communicator& comm) { run_together(run, comm); }), Error);
}

}  // namespace
}  // namespace cone::distributed

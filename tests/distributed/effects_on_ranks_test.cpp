// estimate_effects() on the nodes of several ranks, which are threads, beside one process.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "cone/effects.hpp"

#include "data/gather_rows.hpp"
#include "distributed/distribute.hpp"
#include "distributed/rank_data.hpp"
#include "support/thread_communicator.hpp"

namespace cone::distributed {
namespace {

using cone::testing::example;
using cone::testing::run_on_ranks;
using cone::testing::TemporaryFolder;

void expect_near(const Matrix<double>& found, const Matrix<double>& wanted, double tolerance,
                 const char* name) {
  ASSERT_EQ(found.rows(), wanted.rows()) << name;
  ASSERT_EQ(found.cols(), wanted.cols()) << name;
  for (std::size_t i = 0; i < found.values().size(); ++i) {
    ASSERT_NEAR(found.values()[i], wanted.values()[i],
                tolerance * std::max(1.0, std::abs(wanted.values()[i])))
        << name << ' ' << i;
  }
}

void compare(const LoadedData& data, const EffectOptions& options, double tolerance = 1e-8,
             std::vector<std::size_t> sizes = {1, 2, 3, 4, 7}) {
  const Context context({.threads = 1});
  const NodeEffects alone = estimate_effects(context, data.observed, options);
  const EvaluationInput whole{.data = data};
  for (const std::size_t size : sizes) {
    run_on_ranks(size, [&](const Communicator& comm) {
      EngineReport report{.meter = PhaseMeter(comm)};
      const EvaluationInput input =
          distribute_input(comm, comm.is_root() ? &whole : nullptr, report);
      const Dataset& own = input.data.observed;
      const NodeEffects found = estimate_effects(context.shared_by(comm), own, options);
      std::vector<NodeIndex> nodes(own.num_nodes());
      std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
      const auto expect_table = [&](Matrix<double> NodeEffects::*table, const char* name) {
        const Matrix<double> all = gather_rows(own, nodes, found.*table);
        if (comm.is_root()) expect_near(all, alone.*table, tolerance, name);
      };
      expect_table(&NodeEffects::mu, "mu");
      expect_table(&NodeEffects::mu_sd, "mu_sd");
      expect_table(&NodeEffects::effect, "effect");
      expect_table(&NodeEffects::effect_sd, "effect_sd");
      expect_table(&NodeEffects::parts, "parts");
      expect_table(&NodeEffects::propensity, "propensity");
      ASSERT_EQ(found.calibration.size(), alone.calibration.size());
      for (std::size_t k = 0; k < found.calibration.size(); ++k) {
        EXPECT_NEAR(found.calibration[k].slope, alone.calibration[k].slope, tolerance) << size;
        EXPECT_NEAR(found.calibration[k].standard_error, alone.calibration[k].standard_error,
                    tolerance);
      }
      EXPECT_EQ(found.draws, alone.draws);
      EXPECT_EQ(found.part_names, alone.part_names);
    });
  }
}

TEST(EffectsOnRanks, ThreeArmsWithExactDeviations) {
  compare(load_dataset(Context({.threads = 1}), example("messages")), {});
}

TEST(EffectsOnRanks, DrawnDeviationsDoNotDependOnTheOwner) {
  const TemporaryFolder folder;
  cone::testing::write_simulation(folder, 300);
  EffectOptions options{.folds = 3, .draws = 5};
  options.network_ridge.ridge_solver = RidgeSolverChoice::kIterative;
  // Iterations end at 3e-8 of the solution's norm; the calibration divides by small spreads.
  compare(load_dataset(Context({.threads = 1}), folder.path()), options, 1e-5, {2, 3});
}

TEST(EffectsOnRanks, SurveyWeights) {
  LoadedData data = load_dataset(Context({.threads = 1}), example("messages"));
  const std::size_t n = data.observed.num_nodes();
  for (std::size_t i = 0; i < n; ++i) {
    data.observed.weight.push_back(1 + static_cast<double>(i % 3));
  }
  compare(data, {.folds = 4}, 1e-8, {3});
}

}  // namespace
}  // namespace cone::distributed

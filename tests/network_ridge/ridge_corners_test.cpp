// Edge cases of the network ridge, with both solvers: no error, finite numbers, and where the right
// answer is known, that one.

#include <set>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "data/split.hpp"
#include "network_ridge/groups.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/ridge_world.hpp"

namespace cone {
namespace {

using testing::answer;
using testing::largest_difference;
using testing::ridge_world;
using testing::RidgeAnswer;
using testing::RidgeWorld;
using testing::solved_by;

class RidgeCorners : public ::testing::TestWithParam<RidgeSolverChoice> {
 protected:
  static RidgeAnswer expect_answer(const Dataset& data, int folds = 3,
                                   const NetworkRidgeOptions& options = {}) {
    return expect_answer(data, cross_fit_plan(data, folds, 2, 1), options);
  }

  static RidgeAnswer expect_answer(const Dataset& data, const FitPlan& plan,
                                   NetworkRidgeOptions options = {}) {
    options.ridge_solver = GetParam();
    RidgeAnswer found = answer(data, plan, options);
    EXPECT_TRUE(testing::all_finite(found.mu.values()));
    EXPECT_TRUE(testing::all_finite(found.implied.weights));
    EXPECT_TRUE(std::isfinite(found.implied.variance) && found.implied.variance >= 0);
    EXPECT_TRUE(found.implied.variance_for_sample.value() >= 0);
    EXPECT_TRUE(found.summary.converged && found.implied.converged);
    const Matrix<double> policy = testing::some_policy(data.num_nodes(), data.num_arms());
    const auto n = static_cast<double>(data.num_nodes());
    const double sd = std::sqrt(variance(data.outcome, 0)) + std::abs(mean(data.outcome));
    EXPECT_NEAR(dot(found.implied.weights, data.outcome) / n, found.value(policy, plan), 1e-6 * sd);
    EXPECT_NEAR(sum(found.implied.weights) / n, 1, 1e-6);
    return found;
  }

  static std::set<std::string> groups_of(const RidgeAnswer& found) {
    std::set<std::string> names;
    for (const auto& [name, variance] : found.summary.arms[0].groups) names.insert(name);
    return names;
  }

  /// The mean of squared prediction errors of the logged arms, in units of the outcome's variance.
  static double relative_error(const Dataset& data, const RidgeAnswer& found) {
    double squares = 0;
    for (std::size_t i = 0; i < data.num_nodes(); ++i) {
      squares += std::pow(data.outcome[i] - found.mu(i, data.treatment[i]), 2);
    }
    return squares / static_cast<double>(data.num_nodes()) / variance(data.outcome, 0);
  }
};

TEST_P(RidgeCorners, NoEdgesAtAll) {
  Dataset data = ridge_world({}, 1).data;
  data.graph = build_graph(Context({.threads = 1}), data.num_nodes(), {});
  const RidgeAnswer found = expect_answer(data);
  EXPECT_EQ(groups_of(found),
            (std::set<std::string>{"own_counts", "own_numeric", "own_smooth", "own_curves"}));
  for (const ArmVariances& arm : found.summary.arms) EXPECT_EQ(arm.noise_growth, 0);
}

TEST_P(RidgeCorners, ARegularGraph) {
  Dataset data = ridge_world({}, 2).data;
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 300; ++i) {
    edges.push_back({i, (i + 1) % 300});
    edges.push_back({i, (i + 17) % 300});
  }
  data.graph = build_graph(Context({.threads = 1}), 300, edges);
  const RidgeAnswer found = expect_answer(data);
  for (const ArmVariances& arm : found.summary.arms) EXPECT_EQ(arm.noise_growth, 0);
}

TEST_P(RidgeCorners, ACompleteGraph) {
  Dataset data = ridge_world({.nodes = 60}, 3).data;
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 60; ++i) {
    for (NodeIndex j = 0; j < i; ++j) edges.push_back({i, j});
  }
  data.graph = build_graph(Context({.threads = 1}), 60, edges);
  expect_answer(data);
}

TEST_P(RidgeCorners, AllNodesIsolatedButTwo) {
  Dataset data = ridge_world({}, 4).data;
  data.graph = build_graph(Context({.threads = 1}), 300, std::vector<Edge>{{7, 11}});
  expect_answer(data);
}

TEST_P(RidgeCorners, AStar) {
  Dataset data = ridge_world({}, 5).data;
  std::vector<Edge> edges;
  for (NodeIndex i = 1; i < 300; ++i) edges.push_back({0, i});
  data.graph = build_graph(Context({.threads = 1}), 300, edges);
  expect_answer(data);
}

TEST_P(RidgeCorners, NoFeaturesOnlyTheNetwork) {
  RidgeWorld world = ridge_world({.mean_degree = 20}, 6);
  for (auto& row : world.rows) row.clear();
  world.data.features.names.clear();
  world.data.features.num_dense = 0;
  world.store_features();
  const RidgeAnswer found = expect_answer(world.data);
  EXPECT_EQ(groups_of(found), (std::set<std::string>{"neighbour_effects", "mean_neighbour_effects",
                                                     "communities", "communities_fine"}));
  EXPECT_LT(relative_error(world.data, found), 0.9) << "neighbours are predictive";
}

TEST_P(RidgeCorners, NeitherFeaturesNorNetworkLeaveTheMeanOfTheArm) {
  RidgeWorld world = ridge_world({}, 7);
  for (auto& row : world.rows) row.assign(row.size(), 0.0);
  world.store_features();
  world.data.graph = build_graph(Context({.threads = 1}), 300, {});
  const RidgeAnswer found = expect_answer(world.data);
  EXPECT_TRUE(groups_of(found).empty());
  const FitPlan plan = cross_fit_plan(world.data, 3, 2, 1);
  for (const FitTask& task : plan.tasks) {
    std::vector<double> outcomes[2];
    for (const NodeIndex i : task.fit) {
      outcomes[world.data.treatment[i]].push_back(world.data.outcome[i]);
    }
    for (const NodeIndex i : task.score) {
      for (std::size_t a = 0; a < 2; ++a) EXPECT_NEAR(found.mu(i, a), mean(outcomes[a]), 1e-9);
    }
  }
}

TEST_P(RidgeCorners, AConstantOutcomeInOneArm) {
  Dataset data = ridge_world({}, 8).data;
  for (std::size_t i = 0; i < 300; ++i) {
    if (data.treatment[i] == 0) data.outcome[i] = 0.1;
  }
  const RidgeAnswer found = expect_answer(data);
  for (std::size_t i = 0; i < 300; ++i) EXPECT_NEAR(found.mu(i, 0), 0.1, 1e-10);
  EXPECT_TRUE(found.warnings.empty());
}

TEST_P(RidgeCorners, AConstantOutcome) {
  Dataset data = ridge_world({}, 9).data;
  std::fill(data.outcome.begin(), data.outcome.end(), -3e5);
  const RidgeAnswer found = expect_answer(data);
  for (const double mu : found.mu.values()) EXPECT_NEAR(mu, -3e5, 1e-6);
  EXPECT_NEAR(found.implied.variance, 0, 1e-12);
}

TEST_P(RidgeCorners, BinaryOutcomes) {
  const Dataset data = ridge_world({.binary = true}, 10).data;
  EXPECT_LT(relative_error(data, expect_answer(data)), 0.95);
}

TEST_P(RidgeCorners, OutcomesThatFollowTheDegreeExactly) {
  Dataset data = ridge_world({}, 11).data;
  for (std::size_t i = 0; i < 300; ++i) {
    data.outcome[i] = 5 + static_cast<double>(data.graph.degree(static_cast<NodeIndex>(i)));
  }
  EXPECT_LT(relative_error(data, expect_answer(data)), 1e-9);
}

TEST_P(RidgeCorners, OutcomesWithoutAnyNoise) {
  RidgeWorld world = ridge_world({}, 12);
  for (std::size_t i = 0; i < 300; ++i) {
    world.data.outcome[i] = 3 * world.rows[i][0] - world.rows[i][1];
  }
  EXPECT_LT(relative_error(world.data, expect_answer(world.data)), 1e-4);
}

TEST_P(RidgeCorners, SumsOverNeighboursWithoutAnyNoise) {
  RidgeWorld world = ridge_world({.nodes = 400}, 13);
  for (NodeIndex i = 0; i < 400; ++i) {
    world.data.outcome[i] = 0;
    for (const NodeIndex j : world.data.graph.neighbours(i)) {
      world.data.outcome[i] += world.rows[j][0];
    }
  }
  NetworkRidgeOptions options;
  options.undersmoothing = 1e-4;
  EXPECT_LT(relative_error(world.data, expect_answer(world.data, 3, options)), 1e-4);
}

TEST_P(RidgeCorners, AnArmOfAsFewNodesAsFolds) {
  for (const std::size_t folds : {2U, 3U, 5U}) {
    Dataset data = ridge_world({}, 14).data;
    for (std::size_t i = 0; i < 300; ++i) {
      data.treatment[i] = i % 60 == 1 && i / 60 < folds ? 1 : 0;
    }
    FitPlan plan;
    const auto parts = make_folds(data, static_cast<int>(folds), /*stratified=*/true, 1);
    plan.tasks.resize(folds);
    for (NodeIndex i = 0; i < 300; ++i) {
      plan.scored.push_back(i);
      for (std::size_t t = 0; t < folds; ++t) {
        const bool is_scored = std::ranges::find(parts[t], i) != parts[t].end();
        (is_scored ? plan.tasks[t].score : plan.tasks[t].fit).push_back(i);
      }
    }
    const RidgeAnswer found = expect_answer(data, plan);
    // A handful of nodes identifies a mean and nothing else.
    for (const FitTask& task : plan.tasks) {
      std::vector<double> fitted;
      for (const NodeIndex i : task.fit) {
        if (data.treatment[i] == 1) fitted.push_back(data.outcome[i]);
      }
      for (const NodeIndex i : task.score) EXPECT_NEAR(found.mu(i, 1), mean(fitted), 1e-8);
    }
  }
}

TEST_P(RidgeCorners, FewNodesOfAnArmDoNotExtrapolateInTheDegree) {
  double squares = 0;
  double spread = 0;
  for (std::uint64_t item = 100; item < 106; ++item) {
    Dataset data = ridge_world({}, item).data;
    for (std::size_t i = 0; i < 300; ++i) data.treatment[i] = i * 7 % 300 < 8 ? 1 : 0;
    const RidgeAnswer found = expect_answer(data, 4);
    // The outcome does not depend on the arm here, so it is known for all nodes.
    for (std::size_t i = 0; i < 300; ++i) {
      squares += std::pow(found.mu(i, 1) - data.outcome[i], 2);
    }
    spread += 300 * variance(data.outcome, 0);
  }
  EXPECT_LT(squares, 2 * spread);
}

TEST_P(RidgeCorners, FewNodes) {
  for (const std::size_t nodes : {8U, 12U, 20U}) {
    Dataset data = ridge_world({.nodes = nodes}, 15).data;
    for (std::size_t i = 0; i < nodes; ++i) data.treatment[i] = i % 2 == 0 ? 0 : 1;
    expect_answer(data, 2);
  }
}

TEST_P(RidgeCorners, DuplicatedNodes) {
  RidgeWorld world = ridge_world({.nodes = 200}, 16);
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 100; ++i) {
    world.rows[i + 100] = world.rows[i];
    world.data.outcome[i + 100] = world.data.outcome[i];
    world.data.treatment[i + 100] = world.data.treatment[i];
    for (const NodeIndex j : {i + 1, i + 9}) {
      edges.push_back({i, j % 100});
      edges.push_back({i + 100, j % 100 + 100});
    }
  }
  world.data.graph = build_graph(Context({.threads = 1}), 200, edges);
  world.store_features();
  expect_answer(world.data);
}

TEST_P(RidgeCorners, AColumnWithOneHugeValue) {
  for (const double huge : {1e6, 1e12, 1e160, 1e300}) {
    RidgeWorld world = ridge_world({}, 17);
    world.rows[20][1] = huge;
    world.store_features();
    expect_answer(world.data);
  }
}

TEST_P(RidgeCorners, OutcomesOfAnySize) {
  for (const double unit : {1e-150, 1e-20, 1e20, 1e150}) {
    Dataset data = ridge_world({.nodes = 120}, 18).data;
    for (double& y : data.outcome) y *= unit;
    const RidgeAnswer found = expect_answer(data);
    EXPECT_LT(relative_error(data, found), 2) << unit;
  }
}

TEST_P(RidgeCorners, OneHugeOutcome) {
  Dataset data = ridge_world({}, 19).data;
  data.outcome[33] = 1e9;
  expect_answer(data);
}

TEST_P(RidgeCorners, AHubConnectedToAllNodes) {
  Dataset data = ridge_world({}, 20).data;
  std::vector<Edge> edges;
  for (NodeIndex i = 1; i < 300; ++i) {
    edges.push_back({0, i});
    if (i % 3 == 0) edges.push_back({i, (i * 7) % 300});
  }
  data.graph = build_graph(Context({.threads = 1}), 300, edges);
  expect_answer(data);
}

TEST_P(RidgeCorners, EachGroupAlone) {
  const Dataset data = ridge_world({.nodes = 200}, 21).data;
  const std::vector<std::pair<std::string, std::set<std::string>>> expected = {
      {"own", {"own_counts", "own_numeric"}},
      {"smooth", {"own_smooth"}},
      {"curves", {"own_curves"}},
      {"exponential", {}},  // one more of the own features
      {"neighbour_sums", {"neighbour_sums_counts", "neighbour_sums_numeric"}},
      {"neighbour_effects", {"neighbour_effects"}},
      {"neighbour_means", {"neighbour_means_counts", "neighbour_means_numeric"}},
      {"mean_neighbour_effects", {"mean_neighbour_effects"}},
      {"communities", {"communities", "communities_fine"}}};
  ASSERT_EQ(expected.size(), kGroupSwitches.size());
  for (const auto& [name, groups] : expected) {
    NetworkRidgeOptions options;
    options.ridge_groups = {name};
    EXPECT_EQ(groups_of(expect_answer(data, 3, options)), groups) << name;
  }
}

TEST_P(RidgeCorners, GroupsThatTheDataDoNotHave) {
  Dataset data = ridge_world({}, 22).data;
  data.graph = build_graph(Context({.threads = 1}), 300, {});
  NetworkRidgeOptions options;
  options.ridge_groups = {"neighbour_sums", "neighbour_effects"};
  EXPECT_TRUE(groups_of(expect_answer(data, 3, options)).empty());
}

TEST_P(RidgeCorners, TheSmallestUndersmoothing) {
  const Dataset data = ridge_world({}, 23).data;
  NetworkRidgeOptions options;
  options.undersmoothing = 1e-4;
  expect_answer(data, 3, options);
}

INSTANTIATE_TEST_SUITE_P(Solvers, RidgeCorners,
                         ::testing::Values(RidgeSolverChoice::kDense,
                                           RidgeSolverChoice::kIterative),
                         [](const auto& solver) { return std::string(enum_name(solver.param)); });

TEST(RidgeOptions, UnknownGroupsAndImpossibleNumbersAreRefused) {
  const Dataset data = ridge_world({.nodes = 60}, 24).data;
  const FitPlan plan = cross_fit_plan(data, 2, 2, 1);
  NetworkRidgeOptions options;
  options.ridge_groups = {"neighbour"};
  EXPECT_THROW(answer(data, plan, options), Error);
  for (const double u : {0.0, -1.0, 1.5, kNaN}) {
    options = {};
    options.undersmoothing = u;
    EXPECT_THROW(answer(data, plan, options), Error) << u;
  }
}

// ---- stopping --------------------------------------------------------------------------------

/// Records every phase, and asks to stop at the `stop_at`-th update.
class StopAt : public ProgressObserver {
 public:
  explicit StopAt(std::size_t stop_at) : stop_at_(stop_at) {}
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    EXPECT_LE(done, total);
    phases.emplace(phase);
    return ++num_asked < stop_at_;
  }
  std::set<std::string> phases;
  std::size_t num_asked = 0;

 private:
  std::size_t stop_at_;
};

TEST(RidgeStops, WhereverItIsAsked) {
  const Dataset data = ridge_world({.nodes = 600}, 25).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  for (const auto solver : {RidgeSolverChoice::kDense, RidgeSolverChoice::kIterative}) {
    StopAt never(1'000'000);
    answer(Context({.threads = 2, .progress = &never}), data, plan, solved_by(solver));
    EXPECT_TRUE(never.phases.contains("learning variances"));
    if (solver == RidgeSolverChoice::kIterative) {
      EXPECT_TRUE(never.phases.contains("preparing the equations"));
      EXPECT_TRUE(never.phases.contains("iterating"));
    }
    // The number of updates depends on how long a run takes, so a run may end before the last of
    // these updates. The first ones are reached by every run.
    std::size_t num_stopped = 0;
    for (std::size_t tenth = 0; tenth < 10; ++tenth) {
      const std::size_t at = 1 + tenth * never.num_asked / 10;
      StopAt observer(at);
      try {
        answer(Context({.threads = 2, .progress = &observer}), data, plan, solved_by(solver));
        EXPECT_LT(observer.num_asked, at) << "it was asked to stop and went on";
      } catch (const Cancelled&) {
        ++num_stopped;
        EXPECT_EQ(observer.num_asked, at) << "it is not asked again";
      }
    }
    EXPECT_GE(num_stopped, 3u);
  }
}

}  // namespace
}  // namespace cone

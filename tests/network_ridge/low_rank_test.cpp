// Data without a network: the low-rank solver agrees with kernels between nodes.

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "network_ridge/learn_arm.hpp"
#include "network_ridge/low_rank_solver.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/posterior_variance.hpp"
#include "network_ridge/restricted_likelihood.hpp"
#include "network_ridge/ridge_fit.hpp"
#include "network_ridge/ridge_world.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

using testing::answer;
using testing::largest_difference;
using testing::ridge_world;
using testing::RidgeAnswer;
using testing::same_bits;
using testing::solved_by;

Dataset without_network(std::size_t nodes, std::size_t arms, std::uint64_t item) {
  Dataset data =
      ridge_world({.nodes = nodes, .arms = arms, .counts = 6, .mean_degree = 8}, item).data;
  data.graph = Graph(std::vector<std::uint64_t>(nodes + 1, 0), {});
  return data;
}

/// The equations of all arms, before their variances are learnt.
RidgeSystem system_of(const Context& context, const Dataset& data) {
  RidgeSystem system;
  auto inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *inputs, {});
  system.inputs = std::move(inputs);
  for (std::size_t t = 0; t < 3; ++t) {
    std::vector<char>& learns = system.learns_from.emplace_back(data.num_nodes(), 1);
    for (std::size_t p = t; p < learns.size(); p += 3) learns[p] = 0;
  }
  for (std::size_t a = 0; a < data.num_arms(); ++a) {
    ArmModel& model = system.arms.emplace_back();
    model.group_variances.assign(system.groups.size(), 0.1);
    model.noise = 0.3;
    model.fixed_columns = {0};
  }
  return system;
}

TEST(LowRank, LikelihoodIsThatOfKernels) {
  const Context context({.threads = 2});
  const Dataset data = without_network(400, 2, 61);
  const RidgeSystem system = system_of(context, data);
  const std::vector<std::uint32_t> positions = system.positions_of_arm(1);
  ArmSample by_kernels;
  by_kernels.kernels = make_kernels(context, *system.inputs, system.groups, positions);
  by_kernels.fixed = Matrix<double>(positions.size(), 1, 1.0);
  for (const std::uint32_t p : positions) {
    by_kernels.outcome.push_back(data.outcome[system.inputs->node_at[p]]);
  }
  const FeatureSample by_features = ArmProducts(context, system, 1, by_kernels.outcome).of_all();
  EXPECT_EQ(by_features.num_nodes(), static_cast<double>(positions.size()));
  // A group that explains much, one that explains nothing, much noise and hardly any.
  for (const double noise : {1.0, 0.1, 1e-4}) {
    std::vector<double> variances = {0.2, 1e-6, 0.7, 0.05};
    variances.resize(system.groups.size(), 0.3);
    variances.push_back(noise);
    const auto expected = evaluate_likelihood(context, by_kernels, variances);
    const auto found = evaluate_likelihood(context, by_features, variances);
    ASSERT_TRUE(expected && found);
    EXPECT_NEAR(found->value, expected->value, 1e-8 * std::abs(expected->value)) << noise;
    for (std::size_t g = 0; g < variances.size(); ++g) {
      const double size = 1 + std::abs(expected->gradient[g]);
      EXPECT_NEAR(found->gradient[g], expected->gradient[g], 1e-7 * size) << noise << ' ' << g;
      for (std::size_t h = 0; h < variances.size(); ++h) {
        EXPECT_NEAR(found->information(g, h), expected->information(g, h),
                    1e-6 * (1 + std::abs(expected->information(g, h))))
            << noise << ' ' << g << ' ' << h;
      }
    }
  }
}

TEST(LowRank, SolvesTheSameEquations) {
  const Dataset data = without_network(900, 2, 62);
  const FitPlan plan = cross_fit_plan(data, 4, 2, 1);
  const Context context({.threads = 2});
  RidgeFit fit{.arms = data.arms};  // variances of the first fit
  for (const double u : {1.0, 0.1, 0.001}) {
    NetworkRidgeOptions options;
    options.undersmoothing = u;
    Matrix<double> mu[2];
    std::vector<double> weights[2];
    for (const int k : {0, 1}) {
      options.ridge_solver = k == 0 ? RidgeSolverChoice::kDense : RidgeSolverChoice::kAuto;
      VarianceSource source;
      if (!fit.parts.empty()) source.known = &fit;
      NetworkRidge model = learn_network_ridge(context, data, plan, options, source);
      const RidgePart& part = *model.parts.front();
      EXPECT_EQ(part.method, k == 0 ? RidgeMethod::kDense : RidgeMethod::kLowRank);
      mu[k] = predict_arm(context, part, solve_outcomes(context, part, data), 1);
      Matrix<double> f(data.num_nodes(), 1);
      for (std::size_t p = 0; p < f.rows(); ++p) f(p, 0) = std::sin(static_cast<double>(p));
      const Matrix<double> g(2 * RidgeSystem::kNumFixed, 1, 0.7);
      const RidgeSolution solution = part.solver->solve(context, f, g, std::vector<std::size_t>{2});
      weights[k].assign(solution.x.values().begin(), solution.x.values().end());
      if (!fit.parts.empty()) continue;
      for (const RidgeGroup& group : part.system.groups) fit.groups.push_back(group.kind);
      fit.parts.push_back(part.system.arms);
    }
    EXPECT_LT(largest_difference(mu[0].values(), mu[1].values()), 1e-8) << u;
    EXPECT_LT(largest_difference(weights[0], weights[1]), 1e-7) << u;
  }
}

TEST(LowRank, LearnsTheVariancesOfTheDenseSolver) {
  // Large enough for the search to begin on some of the nodes.
  const Dataset data = without_network(1800, 2, 63);
  ASSERT_GT(data.arm_sizes()[1], 800U);
  const FitPlan plan = cross_fit_plan(data, 5, 2, 1);
  const RidgeAnswer dense = answer(data, plan, solved_by(RidgeSolverChoice::kDense));
  const RidgeAnswer low = answer(data, plan);
  EXPECT_EQ(low.summary.solver, "low_rank");
  for (std::size_t a = 0; a < 2; ++a) {
    EXPECT_EQ(low.summary.arms[a].steps, dense.summary.arms[a].steps);
    EXPECT_EQ(low.summary.arms[a].num_nodes, data.arm_sizes()[a]);
    EXPECT_NEAR(low.summary.arms[a].noise, dense.summary.arms[a].noise, 1e-8);
  }
  const Matrix<double> policy = testing::some_policy(data.num_nodes(), 2);
  EXPECT_NEAR(low.value(policy, plan), dense.value(policy, plan), 1e-7);
  EXPECT_NEAR(*low.implied.variance_for_sample / *dense.implied.variance_for_sample, 1, 1e-6);
  // The weights are those of the value.
  const auto n = static_cast<double>(data.num_nodes());
  EXPECT_NEAR(dot(low.implied.weights, data.outcome) / n, low.value(policy, plan), 1e-9);
  EXPECT_NEAR(sum(low.implied.weights) / n, 1, 1e-10);
}

TEST(LowRank, DeviationsAreThoseOfTheDenseSolver) {
  const Dataset data = without_network(900, 2, 70);
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Context context({.threads = 2});
  for (const double u : {1.0, 0.1}) {
    Matrix<double> variance[2];
    for (const int k : {0, 1}) {
      NetworkRidgeOptions options =
          solved_by(k == 0 ? RidgeSolverChoice::kDense : RidgeSolverChoice::kAuto);
      options.undersmoothing = u;
      const NetworkRidge model = learn_network_ridge(context, data, plan, options);
      EXPECT_EQ(model.parts[0]->method, k == 0 ? RidgeMethod::kDense : RidgeMethod::kLowRank);
      variance[k] = Matrix<double>(data.num_nodes(), 2, -1.0);
      find_variances(context, model, *model.parts[0], variance[k]);
    }
    EXPECT_TRUE(std::ranges::all_of(variance[1].values(), [](double v) { return v > 0; }));
    EXPECT_LT(largest_difference(variance[0].values(), variance[1].values()), 1e-7) << u;
  }
}

TEST(LowRank, IsAccurateWhereIndicatorsSumToOneAndNoiseIsSmall) {
  // A category as indicators of all its levels, and an outcome that a column nearly determines.
  for (const double noise : {1e-2, 1e-3, 1e-5, 0.0}) {
    Dataset data;
    constexpr std::size_t kNumRows = 1500;
    data.ids = IdTable::numbered(kNumRows);
    data.graph = Graph(std::vector<std::uint64_t>(kNumRows + 1, 0), {});
    data.arms = {"0", "1"};
    data.features.num_dense = 4;
    data.features.names = {"before", "a", "b", "c"};
    std::vector<std::vector<double>> rows;
    for (std::size_t i = 0; i < kNumRows; ++i) {
      Rng rng(71, Stream::kTest, i);
      const double before = std::exp(rng.normal());
      const std::size_t level = rng.below(3);
      rows.push_back(
          {before, level == 0 ? 1.0 : 0.0, level == 1 ? 1.0 : 0.0, level == 2 ? 1.0 : 0.0});
      data.treatment.push_back(rng.bernoulli(sigmoid(before - 1)) ? 1 : 0);
      data.outcome.push_back(before + 2 * data.treatment.back() + noise * rng.normal());
    }
    data.features.matrix = testing::sparse_from_rows(rows);
    const FitPlan plan = cross_fit_plan(data, 5, 2, 1);
    const RidgeAnswer dense = answer(data, plan, solved_by(RidgeSolverChoice::kDense));
    const RidgeAnswer found = answer(data, plan);
    if (noise > 1e-3) {
      EXPECT_EQ(found.summary.solver, "low_rank");
    }
    const double sd = std::sqrt(variance(data.outcome, 0));
    EXPECT_LT(largest_difference(dense.mu.values(), found.mu.values()), 1e-6 * sd) << noise;
    EXPECT_LT(largest_difference(dense.implied.weights, found.implied.weights), 1e-4) << noise;
    // Without noise the variance is rounding error, whose ratio depends on the processor.
    const double dense_error = std::sqrt(*dense.implied.variance_for_sample);
    EXPECT_NEAR(std::sqrt(*found.implied.variance_for_sample), dense_error,
                noise > 0 ? 1e-4 * dense_error : 1e-8 * sd)
        << noise;
  }
}

TEST(LowRank, LearnsOnTheSampleOfTheIterativeSolver) {
  const Dataset data = without_network(1200, 2, 69);
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Context context({.threads = 2});
  const VarianceSource sampled{.most_nodes = 450};
  const OutcomeTable low = *NetworkRidgeLearner({}, sampled).fit(context, data, plan).outcome;
  const OutcomeTable iterated =
      *NetworkRidgeLearner(solved_by(RidgeSolverChoice::kIterative), sampled)
           .fit(context, data, plan)
           .outcome;
  EXPECT_EQ(low.network_ridge->solver, "low_rank");
  EXPECT_EQ(low.network_ridge->arms[1].num_nodes, 450U);
  EXPECT_EQ(iterated.network_ridge->arms[1].num_nodes, 450U);
  EXPECT_LT(largest_difference(low.mu.values(), iterated.mu.values()), 1e-6);
}

TEST(LowRank, DependsOnNeitherThreadsNorOrder) {
  const Dataset data = without_network(1200, 2, 64);
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const RidgeAnswer one = answer(Context({.threads = 1}), data, plan);
  ASSERT_EQ(one.summary.solver, "low_rank");
  const RidgeAnswer many = answer(Context({.threads = 5}), data, plan);
  EXPECT_TRUE(same_bits(one.mu.values(), many.mu.values()));
  EXPECT_TRUE(same_bits(one.implied.weights, many.implied.weights));
  const std::vector<NodeIndex> order = Rng(6, Stream::kTest).permutation(1200);
  Dataset permuted = testing::with_nodes_permuted(data, order);
  permuted.arms = data.arms;
  const RidgeAnswer other = answer(permuted, cross_fit_plan(permuted, 3, 2, 1));
  for (std::size_t i = 0; i < order.size(); ++i) {
    ASSERT_NEAR(other.mu(i, 1), one.mu(order[i], 1), 1e-6) << i;
  }
}

TEST(LowRank, IsNotUsedWithNeighboursOrMoreFeaturesThanNodes) {
  const Dataset few = without_network(200, 2, 65);
  EXPECT_EQ(answer(few, cross_fit_plan(few, 3, 2, 1)).summary.solver, "dense");
  const Dataset connected = ridge_world({.nodes = 700, .counts = 6}, 65).data;
  EXPECT_EQ(answer(connected, cross_fit_plan(connected, 3, 2, 1)).summary.solver, "dense");
}

TEST(KeptVariances, GiveTheFitOfThoseThatWereLearnt) {
  const Dataset data = ridge_world({.nodes = 400, .counts = 6}, 66).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Context context({.threads = 2});
  const OutcomeTable learnt = *NetworkRidgeLearner({}).fit(context, data, plan).outcome;
  const OutcomeTable kept =
      *NetworkRidgeLearner({}, {.kept = learnt.network_ridge}).fit(context, data, plan).outcome;
  EXPECT_EQ(kept.network_ridge->arms[0].steps, 0U);
  EXPECT_LT(largest_difference(kept.mu.values(), learnt.mu.values()), 1e-9);
  // With the iterative solver, which refits of large arms use.
  const OutcomeTable iterated =
      *NetworkRidgeLearner(solved_by(RidgeSolverChoice::kIterative), {.kept = learnt.network_ridge})
           .fit(context, data, plan)
           .outcome;
  EXPECT_EQ(iterated.network_ridge->solver, "iterative");
  EXPECT_LT(largest_difference(iterated.mu.values(), learnt.mu.values()), 1e-5);
}

TEST(KeptVariances, AreLearntAgainWhereGroupsDiffer) {
  const Dataset data = ridge_world({.nodes = 400, .counts = 6}, 67).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  const Context context({.threads = 2});
  const OutcomeTable learnt = *NetworkRidgeLearner({}).fit(context, data, plan).outcome;
  Dataset bare = data;
  bare.graph = Graph(std::vector<std::uint64_t>(data.num_nodes() + 1, 0), {});
  const OutcomeTable found =
      *NetworkRidgeLearner({}, {.kept = learnt.network_ridge}).fit(context, bare, plan).outcome;
  EXPECT_GT(found.network_ridge->arms[0].steps, 0U);
}

TEST(RidgeNoise, StaysConstantWhereVariancesAreLearntOnASample) {
  const Dataset data = ridge_world({.nodes = 900, .counts = 6, .mean_degree = 6}, 68).data;
  const FitPlan plan = cross_fit_plan(data, 3, 2, 1);
  NetworkRidgeOptions options;
  options.ridge_noise = RidgeNoise::kConstant;
  const NetworkRidgeLearner learner(options, {.most_nodes = 200});
  const OutcomeTable found = *learner.fit(Context({.threads = 2}), data, plan).outcome;
  bool any_neighbours = false;
  for (const ArmVariances& arm : found.network_ridge->arms) {
    EXPECT_EQ(arm.num_nodes, 200U);
    EXPECT_EQ(arm.noise_growth, 0);
    for (const auto& [group, variance] : arm.groups) {
      if (group != "neighbour_effects" || variance == 0) continue;
      any_neighbours = true;
      EXPECT_GE(arm.noise, 0.1 * variance);
    }
  }
  EXPECT_TRUE(any_neighbours);
}

}  // namespace
}  // namespace cone

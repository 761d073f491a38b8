#include "study/refute.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "study/refute_data.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

using testing::TemporaryFolder;

/// x confounds treatment and outcome; the effect of treatment is `effect`. The network is a ring.
Dataset draw_ring_data(std::size_t n, double effect) {
  Rng rng(4, Stream::kTest, 33);
  Dataset out;
  out.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  Matrix<double> x(n, 1);
  for (std::size_t i = 0; i < n; ++i) {
    x(i, 0) = rng.normal();
    const Arm t = rng.bernoulli(sigmoid(1.5 * x(i, 0))) ? 1 : 0;
    out.treatment.push_back(t);
    out.outcome.push_back(2 * x(i, 0) + effect * t + 0.5 * rng.normal());
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % n)});
  }
  out.features = {.matrix = FeatureMatrix(std::move(x)), .names = {"x"}, .num_dense = 1};
  out.graph = build_graph(Context(), n, edges);
  return out;
}

std::vector<PolicyOnData> treat_all(std::size_t n) {
  PolicyOnData all{"all", Matrix<double>(n, 2)};
  for (std::size_t i = 0; i < n; ++i) all.probability(i, 1) = 1;
  return {all};
}

TEST(PermuteTreatments, KeepsTheArmSharesOfEveryDecile) {
  const Dataset data = draw_ring_data(200, 1);
  Matrix<double> e(200, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    e(i, 1) = sigmoid(1.5 * data.features.matrix.row(i).at(0));
    e(i, 0) = 1 - e(i, 1);
  }
  Rng rng(1, Stream::kRefuter, 0);
  const Dataset placebo = permute_treatments(data, e.view(), rng);
  EXPECT_NE(placebo.treatment, data.treatment);
  EXPECT_EQ(placebo.outcome, data.outcome);
  std::vector<std::size_t> order(200);
  for (std::size_t i = 0; i < 200; ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return e(a, 1) < e(b, 1); });
  for (std::size_t begin = 0; begin < 200; begin += 20) {
    int before = 0;
    int after = 0;
    for (std::size_t k = begin; k < begin + 20; ++k) {
      before += data.treatment[order[k]];
      after += placebo.treatment[order[k]];
    }
    EXPECT_EQ(before, after);
  }
}

TEST(AddRandomFeature, InsertsANumericFeatureBeforeTheCounts) {
  Dataset data = draw_ring_data(30, 1);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < 30; ++i) {
    if (i % 3 != 0) {
      columns.insert(columns.end(), {0, 2});
      values.insert(values.end(), {static_cast<double>(i), 1});
    }
    offsets.push_back(columns.size());
  }
  data.features = {.matrix = SparseMatrix(3, offsets, columns, values),
                   .names = {"x", "w0", "w1"},
                   .num_dense = 1};
  Rng rng(1, Stream::kRefuter, 0);
  const Dataset more = add_random_feature(data, rng);
  EXPECT_EQ(more.features.num_dense, 2U);
  EXPECT_EQ(more.features.names, (std::vector<std::string>{"x", "(random)", "w0", "w1"}));
  for (std::size_t i = 0; i < 30; ++i) {
    const auto row = more.features.matrix.row(i);
    EXPECT_NE(row.at(1), 0);
    EXPECT_EQ(row.at(0), data.features.matrix.row(i).at(0));
    EXPECT_EQ(row.at(2), 0);
    EXPECT_EQ(row.at(3), data.features.matrix.row(i).at(2));
  }
}

TEST(SelectNodes, KeepsTheirDataAndEdges) {
  const Dataset data = draw_ring_data(50, 1);
  Rng rng(1, Stream::kRefuter, 0);
  const std::vector<NodeIndex> nodes = draw_most_nodes(50, rng);
  ASSERT_EQ(nodes.size(), 45U);
  EXPECT_TRUE(std::is_sorted(nodes.begin(), nodes.end()));
  const Dataset some = select_nodes(data, nodes);
  ASSERT_EQ(some.num_nodes(), 45U);
  for (NodeIndex k = 0; k < 45; ++k) {
    EXPECT_EQ(some.ids[k], data.ids[nodes[k]]);
    EXPECT_EQ(some.outcome[k], data.outcome[nodes[k]]);
    EXPECT_EQ(some.features.matrix.row(k).at(0), data.features.matrix.row(nodes[k]).at(0));
    for (const NodeIndex j : some.graph.neighbours(k)) {
      const auto& neighbours = data.graph.neighbours(nodes[k]);
      EXPECT_NE(std::find(neighbours.begin(), neighbours.end(), nodes[j]), neighbours.end());
    }
  }
}

TEST(Refute, TheNetworkRidgePassesWhereItIsWellSpecified) {
  const TemporaryFolder folder;
  const Dataset data = draw_ring_data(400, 3);
  RefuteOptions options;
  options.draws = 4;
  const Refutation found = refute(Context({.seed = 2, .threads = 2}), data, treat_all(400), options,
                                  UnitWork{UnitStore(folder.path())});
  const RefutedPolicy& all = found.policies.at(0);
  EXPECT_NEAR(all.difference, 1.5, 0.4) << "half of the units are untreated";
  EXPECT_GT(all.standard_error, 0);
  EXPECT_LE(all.standard_error, all.population_standard_error);
  ASSERT_EQ(all.checks.size(), 5U);
  for (const CheckOutcome& check : all.checks) {
    EXPECT_EQ(check.differences.size(), 4U);
    EXPECT_TRUE(check.passes) << enum_name(check.check) << " " << check.moved << " of "
                              << check.allowed;
  }
  for (const double difference : all.checks[0].differences) {
    EXPECT_LT(std::abs(difference), 0.5) << "placebo treatment";
  }
  const auto& seeds = all.checks[3].differences;
  EXPECT_NE(seeds[0], seeds[1]);
}

TEST(Refute, TheBootstrapDetectsStandardErrorsThatAreTooSmall) {
  // Blocks of ten neighbours share noise and treatment: a bootstrap of nodes misses that, one of
  // clusters does not.
  const TemporaryFolder folder;
  Rng rng(4, Stream::kTest, 34);
  constexpr std::size_t kNodes = 400;
  Dataset data;
  data.ids = IdTable::numbered(kNodes);
  std::vector<Edge> edges;
  Matrix<double> x(kNodes, 1);
  double shared = 0;
  Arm arm = 0;
  for (std::size_t i = 0; i < kNodes; ++i) {
    if (i % 10 == 0) {
      shared = rng.normal();
      arm = rng.bernoulli(0.5) ? 1 : 0;
    }
    x(i, 0) = rng.normal();
    data.treatment.push_back(arm);
    data.outcome.push_back(x(i, 0) + shared + 0.1 * rng.normal());
    for (std::size_t j = i / 10 * 10; j < i; ++j) {
      edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
    }
  }
  data.features = {.matrix = FeatureMatrix(std::move(x)), .names = {"x"}, .num_dense = 1};
  data.graph = build_graph(Context(), kNodes, edges);
  RefuteOptions options;
  options.draws = 12;
  options.checks = {"bootstrap"};
  options.network_ridge.ridge_groups = {"own"};  // a model that ignores the blocks
  const auto moved = [&](BootstrapUnits units) {
    options.bootstrap_by = units;
    return refute(Context({.seed = 2, .threads = 2}), data, treat_all(kNodes), options,
                  UnitWork{UnitStore(folder.path())})
        .policies[0]
        .checks[0];
  };
  const CheckOutcome nodes = moved(BootstrapUnits::kNodes);
  const CheckOutcome clusters = moved(BootstrapUnits::kClusters);
  EXPECT_TRUE(nodes.passes) << nodes.moved << " of " << nodes.allowed;
  EXPECT_FALSE(clusters.passes) << clusters.moved << " of " << clusters.allowed;
  EXPECT_EQ(nodes.allowed, clusters.allowed);
}

TEST(BootstrapSample, KeepsTheResidualsUpToTheirSigns) {
  const Dataset data = draw_ring_data(60, 1);
  BootstrapWorld world{.mu = Matrix<double>(60, 2, 2.0),
                       .residual = std::vector<double>(60),
                       .noise = Matrix<double>(60, 2, 0.0)};
  for (std::size_t i = 0; i < 60; ++i) world.residual[i] = 1 + static_cast<double>(i);
  world.clusters = {.of = std::vector<std::uint32_t>(60), .count = 2};
  for (std::size_t i = 30; i < 60; ++i) world.clusters.of[i] = 1;
  bool saw_different_signs = false;
  for (std::uint64_t draw = 0; draw < 8; ++draw) {
    Rng rng(1, Stream::kTest, draw);
    const BootstrapSample drawn = draw_sample(world, data, rng);
    EXPECT_EQ(drawn.data.treatment, data.treatment);
    const auto sign = [&](std::size_t i) { return drawn.data.outcome[i] > 2 ? 1.0 : -1.0; };
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_DOUBLE_EQ(drawn.data.outcome[i], 2 + sign(i < 30 ? 0 : 30) * world.residual[i]);
      EXPECT_DOUBLE_EQ(drawn.outcome(i, 1 - data.treatment[i]), 2) << "noise variance 0";
    }
    saw_different_signs = saw_different_signs || sign(0) != sign(30);
    double expected = 0;
    for (std::size_t i = 0; i < 60; ++i) {
      expected += (drawn.outcome(i, 1) - drawn.data.outcome[i]) / 60;
    }
    EXPECT_NEAR(true_gain(drawn, treat_all(60)[0].probability.view()), expected, 1e-12);
    BootstrapSample weighed = drawn;
    weighed.data.weight.assign(60, 0.0);
    weighed.data.weight[7] = 3;
    EXPECT_NEAR(true_gain(weighed, treat_all(60)[0].probability.view()),
                drawn.outcome(7, 1) - drawn.data.outcome[7], 1e-12);
  }
  EXPECT_TRUE(saw_different_signs);
}

TEST(Refute, ResumesAndDoesNotDependOnThreads) {
  const TemporaryFolder folder;
  const TemporaryFolder other;
  const Dataset data = draw_ring_data(80, 1);
  RefuteOptions options;
  options.draws = 2;
  options.checks = {"subset", "placebo"};
  const auto run = [&](const Context& context, const TemporaryFolder& where) {
    return refute(context, data, treat_all(80), options, UnitWork{UnitStore(where.path())});
  };
  const Refutation first = run(Context({.seed = 1, .threads = 1}), folder);
  EXPECT_EQ(first.units.num_reused, 0U);
  EXPECT_EQ(first.units.records.size(), 5U);
  ASSERT_EQ(first.policies[0].checks.size(), 2U);
  EXPECT_EQ(first.policies[0].checks[0].check, RefuteCheck::kPlacebo);
  const Refutation again = run(Context({.seed = 1, .threads = 3}), folder);
  EXPECT_EQ(again.units.num_reused, 5U);
  const Refutation elsewhere = run(Context({.seed = 1, .threads = 3}), other);
  EXPECT_EQ(to_json(first).dump(), to_json(again).dump());
  EXPECT_EQ(to_json(first).dump(), to_json(elsewhere).dump());
  options.draws = 3;
  EXPECT_EQ(run(Context({.seed = 1, .threads = 3}), folder).units.num_reused, 5U)
      << "computes new units only";
}

TEST(JudgeCheck, AppliesTheThresholds) {
  const RefutedPolicy answer{
      .policy = "p", .difference = 5, .standard_error = 1, .population_standard_error = 2};
  const auto passes = [&](RefuteCheck check, std::vector<double> differences) {
    return judge_check(check, std::move(differences), answer).passes;
  };
  EXPECT_TRUE(passes(RefuteCheck::kPlacebo, {0.4, 0.5}));
  EXPECT_FALSE(passes(RefuteCheck::kPlacebo, {0.7, 0.71}));
  EXPECT_TRUE(passes(RefuteCheck::kPlacebo, {-2, 4})) << "within two standard errors";
  for (const RefuteCheck check : {RefuteCheck::kFeature, RefuteCheck::kSeeds}) {
    EXPECT_TRUE(passes(check, {5.4, 4.6}));
    EXPECT_TRUE(passes(check, {5.6, 5})) << "one of two, root mean square 0.42";
    EXPECT_FALSE(passes(check, {5.8, 5}));
  }
  EXPECT_TRUE(passes(RefuteCheck::kBootstrap, {1.9, -2.0})) << "threshold 1 + √(2/2)";
  EXPECT_FALSE(passes(RefuteCheck::kBootstrap, {2.1, -2.1}));
  EXPECT_FALSE(passes(RefuteCheck::kBootstrap, std::vector<double>(200, 1.2)))
      << "many reruns have a lower threshold";
  EXPECT_TRUE(passes(RefuteCheck::kSubset, {5.9, 4.1}));
  EXPECT_FALSE(passes(RefuteCheck::kSubset, {6.1}));
  EXPECT_FALSE(passes(RefuteCheck::kSeeds, {})) << "no reruns";
}

TEST(RefuteSentences, DescribeTheFailure) {
  const RefutedPolicy answer{
      .policy = "p", .difference = 5, .standard_error = 1, .population_standard_error = 2};
  const auto sentence = [&](RefuteCheck check, std::vector<double> differences) {
    return check_sentence(judge_check(check, std::move(differences), answer), answer);
  };
  EXPECT_EQ(sentence(RefuteCheck::kSeeds, {5.25}),
            "Other folds typically changed the estimate by 0.25.");
  EXPECT_NE(sentence(RefuteCheck::kPlacebo, {3, 3.1}).find("effects that do not exist"),
            std::string::npos);
  EXPECT_NE(sentence(RefuteCheck::kSubset, {}).find("failed"), std::string::npos);
}

TEST(Refute, RefusesUnknownChecksAndDataWithoutOutcomes) {
  const TemporaryFolder folder;
  RefuteOptions options;
  options.checks = {"placebos"};
  const Dataset data = draw_ring_data(40, 1);
  const UnitStore store(folder.path());
  EXPECT_THROW(refute(Context(), data, treat_all(40), options, UnitWork{store}), Error);
  EXPECT_THROW(refute(Context(), Dataset{}, {}, {}, UnitWork{store}), Error);
}

}  // namespace
}  // namespace cone

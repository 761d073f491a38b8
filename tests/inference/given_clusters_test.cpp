// Given clusters: cluster-robust variances.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "inference/clusters.hpp"
#include "inference/dependence.hpp"
#include "inference/dependent_errors.hpp"

namespace cone {
namespace {

Dataset bare_nodes(std::size_t n) {
  Dataset data;
  data.ids = IdTable::numbered(n);
  data.graph = build_graph(Context(), n, {});
  return data;
}

const DependentCovariance& by_clusters(const std::vector<DependentCovariance>& ways) {
  return *std::ranges::find(ways, Dependence::kClusters, &DependentCovariance::dependence);
}

Matrix<double> column_of(const std::vector<double>& values) {
  Matrix<double> out(values.size(), 1);
  for (std::size_t i = 0; i < values.size(); ++i) out(i, 0) = values[i];
  return out;
}

TEST(GivenClusters, VarianceMatchesAHandCalculation) {
  Dataset data = bare_nodes(6);
  data.cluster = {4, 4, 1, 1, 1, 9};
  const Clustering clusters = cluster_nodes(Context(), data);
  EXPECT_TRUE(clusters.given);
  EXPECT_EQ(clusters.count, 3U);
  const DependenceKernels kernels(Context(), data.graph, clusters);
  const Matrix<double> parts = column_of({1, 2, -1, -3, 0, 1});
  const auto ways = kernels.covariances(Context(), parts.view());
  const DependentCovariance& found = by_clusters(ways);
  // Sums 3, −4, 1; three groups; 36 pairs.
  EXPECT_NEAR(found.covariance(0, 0), (9 + 16 + 1) * 1.5 / 36, 1e-15);
  // Absolute sums 3, 4, 1: as (9 + 16 + 1)²/(81 + 256 + 1) = 2 clusters of one size.
  EXPECT_NEAR(found.degrees_of_freedom, 1, 1e-12);
  EXPECT_TRUE(found.is_usable()) << "few clusters are reflected in the t quantile";
}

TEST(GivenClusters, ThoseWithoutContributionsDoNotCount) {
  Dataset data = bare_nodes(40);
  std::vector<double> even;
  std::vector<double> half;
  for (std::uint32_t i = 0; i < 40; ++i) {
    data.cluster.push_back(i / 4);
    even.push_back(i % 2 == 0 ? 1 : -1);
    half.push_back(i < 20 ? even.back() : 0);
  }
  const DependenceKernels kernels(Context(), data.graph, cluster_nodes(Context(), data));
  const auto freedom = [&](const std::vector<double>& x) {
    return kernels.cluster_covariance(column_of(x).view(), {}).degrees_of_freedom;
  };
  EXPECT_NEAR(freedom(even), 9, 1e-12);
  EXPECT_NEAR(freedom(half), 4, 1e-12);
  EXPECT_NEAR(freedom(std::vector<double>(40, 0.0)), 9, 1e-12);
}

TEST(GivenClusters, PairsShareTheirNoiseUnderEveryArm) {
  Dataset data = bare_nodes(4);
  data.cluster = {0, 0, 1, 1};
  const DependenceKernels kernels(Context(), data.graph, cluster_nodes(Context(), data));
  const Matrix<double> parts = column_of({2, 0, -1, -1});
  const Matrix<double> shared = column_of({1, 2, -2, -1});
  const DependentCovariance found = kernels.cluster_covariance(parts.view(), shared.view());
  // Own squares 4 + 0 + 1 + 1; shared sums 3 and −3, own squares 1 + 4 + 4 + 1.
  EXPECT_NEAR(found.covariance(0, 0), ((9 + 9) * 2 - 10 + 6) / 16.0, 1e-15);
  // Sums −1 and 1, own squares 18: clusters do not reduce the error below that of single nodes.
  const Matrix<double> opposed = column_of({1, -2, 3, -2});
  const DependentCovariance least = kernels.cluster_covariance(parts.view(), opposed.view());
  EXPECT_NEAR(least.covariance(0, 0), 6 / 16.0, 1e-15);
  EXPECT_TRUE(least.is_usable());
}

TEST(GivenClusters, KeepTheVarianceOfEveryDifference) {
  // Values whose shared parts are nearly equal: their difference has the variance of own parts.
  Dataset data = bare_nodes(40);
  Matrix<double> own(40, 3);
  Matrix<double> shared(40, 3);
  Rng rng(5, Stream::kTest, 3);
  for (std::uint32_t i = 0; i < 40; ++i) {
    data.cluster.push_back(i / 4);
    const double noise = rng.normal();
    for (std::size_t k = 0; k < 3; ++k) {
      own(i, k) = 0.3 * rng.normal();
      shared(i, k) = noise + 1e-6 * rng.normal();
    }
  }
  const DependenceKernels kernels(Context(), data.graph, cluster_nodes(Context(), data));
  const Matrix<double> found = kernels.cluster_covariance(own.view(), shared.view()).covariance;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      EXPECT_GT(found(k, k) + found(l, l) - 2 * found(k, l), 0.01 * found(k, k));
    }
  }
}

TEST(GivenClusters, TakePrecedenceOverCommunities) {
  Dataset data = bare_nodes(40);
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 40; i += 2) edges.push_back({i, i + 1});
  data.graph = build_graph(Context(), 40, edges);
  EXPECT_EQ(cluster_nodes(Context(), data).count, 20U);
  EXPECT_FALSE(cluster_nodes(Context(), data).given);
  for (std::uint32_t i = 0; i < 40; ++i) data.cluster.push_back(i % 5);
  const Clustering given = cluster_nodes(Context(), data);
  EXPECT_EQ(given.count, 5U);
  EXPECT_GT(given.cut_share, 0.9);
  const DependenceKernels kernels(Context(), data.graph, given);
  const Matrix<double> parts(40, 1, 0.5);
  EXPECT_TRUE(by_clusters(kernels.covariances(Context(), parts.view())).is_usable())
      << "edges between given clusters do not matter";
}

TEST(GivenClusters, AreCandidatesForTheLargestError) {
  // Noise shared in clusters of ten: the cluster-robust error is the largest, and is chosen.
  constexpr std::size_t kNodes = 300;
  Dataset data = bare_nodes(kNodes);
  Rng rng(3, Stream::kTest, 1);
  ErrorParts parts;
  double common = 0;
  for (std::uint32_t i = 0; i < kNodes; ++i) {
    if (i % 10 == 0) common = rng.normal();
    data.cluster.push_back(i / 10);
    parts.population.push_back(common + 0.3 * rng.normal());
  }
  const DependenceKernels kernels(Context(), data.graph, cluster_nodes(Context(), data));
  LoggedSample sample{.arms = {"0", "1"}};
  const ErrorParts* one = &parts;
  const Matrix<double> policy(kNodes, 2, 0.5);
  const Matrix<double>* table = &policy;
  const auto errors = join_errors(Context(), kernels, sample, Target::kPopulation, {&one, 1},
                                  {&table, 1}, nullptr, Dependence::kLargest);
  ASSERT_TRUE(errors);
  EXPECT_EQ(errors->best().dependence, Dependence::kClusters);
  EXPECT_GT(errors->design_effect(), 6);
  const auto wanted = join_errors(Context(), kernels, sample, Target::kPopulation, {&one, 1},
                                  {&table, 1}, nullptr, Dependence::kIndependent);
  EXPECT_EQ(wanted->best().dependence, Dependence::kIndependent);
}

}  // namespace
}  // namespace cone

#include "nuisance/spectral_embedding.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "nuisance/simulated_data.hpp"
#include "support/small_network.hpp"

namespace cone {
namespace {

Graph make_graph(std::size_t num_nodes, const std::vector<Edge>& edges) {
  return build_graph(Context({.threads = 1}), num_nodes, edges);
}

/// Blocks of equal size; an edge is within a block with the larger probability.
Graph block_graph(NodeIndex num_nodes, NodeIndex num_blocks, double within, double between) {
  std::vector<Edge> edges;
  Rng rng(3, Stream::kTest);
  for (NodeIndex i = 0; i < num_nodes; ++i) {
    for (NodeIndex j = 0; j < i; ++j) {
      if (rng.bernoulli(i % num_blocks == j % num_blocks ? within : between)) {
        edges.push_back({i, j});
      }
    }
  }
  return make_graph(num_nodes, edges);
}

std::vector<double> column_of(const Matrix<double>& m, std::size_t k) {
  std::vector<double> out;
  for (std::size_t i = 0; i < m.rows(); ++i) out.push_back(m(i, k));
  return out;
}

/// U U' v: what a regression sees of the space.
std::vector<double> project(const Matrix<double>& u, const std::vector<double>& v) {
  std::vector<double> out(v.size(), 0.0);
  for (std::size_t k = 0; k < u.cols(); ++k) {
    const std::vector<double> column = column_of(u, k);
    const double part = dot(column, v);
    for (std::size_t i = 0; i < v.size(); ++i) out[i] += part * column[i];
  }
  return out;
}

std::vector<double> random_values(std::size_t count) {
  Rng rng(4, Stream::kTest);
  std::vector<double> out(count);
  for (double& value : out) value = rng.normal();
  return out;
}

TEST(SpectralEmbedding, HasTheEigenvaluesOfACycle) {
  constexpr std::size_t kLength = 200;
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < kLength; ++i) {
    edges.push_back({i, static_cast<NodeIndex>((i + 1) % kLength)});
  }
  const SpectralEmbedding found =
      embed_network(Context({.threads = 2}), make_graph(kLength, edges));
  EXPECT_TRUE(found.converged);
  // Degrees and τ are 2: M = A/4, with the eigenvalues ±cos(2πk/200)/2, each twice but for k = 0.
  ASSERT_EQ(found.eigenvalues.size(), 10U);
  const std::size_t number[] = {0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
  for (std::size_t k = 0; k < 10; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(number[k]) / kLength;
    EXPECT_NEAR(std::abs(found.eigenvalues[k]), std::cos(angle) / 2, 1e-12);
  }
  EXPECT_EQ(found.columns.cols(), 9U) << "the constant vector is the intercept's";
}

TEST(SpectralEmbedding, IsOrthonormalAndCentred) {
  const Dataset data = testing::simulated_network(400);
  const SpectralEmbedding found = embed_network(Context({.threads = 2}), data.graph);
  ASSERT_GE(found.columns.cols(), 15U);
  for (std::size_t a = 0; a < found.columns.cols(); ++a) {
    const std::vector<double> column = column_of(found.columns, a);
    EXPECT_NEAR(mean(column), 0, 1e-14);
    for (std::size_t b = 0; b <= a; ++b) {
      EXPECT_NEAR(dot(column, column_of(found.columns, b)), a == b ? 1 : 0, 1e-12);
    }
  }
}

TEST(SpectralEmbedding, ContainsTheBlocksOfABlockModel) {
  constexpr NodeIndex kBlocks = 4;
  const Graph graph = block_graph(400, kBlocks, 0.2, 0.01);
  const SpectralEmbedding found = embed_network(Context({.threads = 2}), graph);
  std::vector<double> block(400);
  for (NodeIndex i = 0; i < 400; ++i) block[i] = (i % kBlocks == 1 ? 1 : 0) - 1.0 / kBlocks;
  const std::vector<double> explained = project(found.columns, block);
  EXPECT_GT(dot(explained, explained), 0.95 * dot(block, block));
}

TEST(SpectralEmbedding, IsBitwiseEqualAtAnyNumberOfThreads) {
  const Dataset data = testing::simulated_network(600);
  const SpectralEmbedding one = embed_network(Context({.threads = 1}), data.graph);
  for (const int threads : {2, 5}) {
    const SpectralEmbedding other = embed_network(Context({.threads = threads}), data.graph);
    EXPECT_TRUE(testing::same_bits(one.columns.values(), other.columns.values()));
  }
}

TEST(SpectralEmbedding, SpansTheSameSpaceForAnotherOrderOfTheNodes) {
  const Dataset data = testing::simulated_network(500);
  const auto order = Rng(8, Stream::kTest).permutation(500);
  const Dataset permuted = testing::with_nodes_permuted(data, {order.begin(), order.end()});
  const std::vector<double> v = random_values(500);
  std::vector<double> permuted_v;
  for (const NodeIndex i : order) permuted_v.push_back(v[i]);
  const auto before = project(embed_network(Context({.threads = 2}), data.graph).columns, v);
  const auto after =
      project(embed_network(Context({.threads = 2}), permuted.graph).columns, permuted_v);
  for (std::size_t k = 0; k < order.size(); ++k) EXPECT_NEAR(after[k], before[order[k]], 1e-9);
}

TEST(SpectralEmbedding, NeverCutsThroughEqualEigenvalues) {
  // 50 triangles: the largest eigenvalue has multiplicity 50, more than there are columns.
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 150; i += 3) {
    edges.push_back({i, i + 1});
    edges.push_back({i, i + 2});
    edges.push_back({i + 1, i + 2});
  }
  const SpectralEmbedding found = embed_network(Context({.threads = 2}), make_graph(150, edges));
  EXPECT_EQ(found.columns.cols(), 0U);
  EXPECT_TRUE(found.converged);
}

TEST(SpectralEmbedding, TakesAllThatIsNotZeroOfANetworkOfLowRank) {
  // A star has the eigenvalues ±c and zeros.
  std::vector<Edge> edges;
  for (NodeIndex i = 1; i < 120; ++i) edges.push_back({0, i});
  const SpectralEmbedding found = embed_network(Context({.threads = 2}), make_graph(120, edges));
  ASSERT_EQ(found.eigenvalues.size(), 2U);
  EXPECT_NEAR(found.eigenvalues[0], -found.eigenvalues[1], 1e-12);
}

TEST(SpectralEmbedding, LeavesIsolatedNodesAtTheMean) {
  const Graph connected = block_graph(200, 2, 0.1, 0.02);
  std::vector<Edge> edges;
  for (NodeIndex i = 0; i < 200; ++i) {
    for (const NodeIndex j : connected.neighbours(i)) edges.push_back({i, j});
  }
  const SpectralEmbedding found = embed_network(Context({.threads = 2}), make_graph(260, edges));
  ASSERT_GT(found.columns.cols(), 0U);
  for (std::size_t k = 0; k < found.columns.cols(); ++k) {
    for (std::size_t i = 201; i < 260; ++i) {
      EXPECT_NEAR(found.columns(i, k), found.columns(200, k), 1e-9);
    }
  }
}

TEST(SpectralEmbedding, IsEmptyWithoutEdges) {
  EXPECT_EQ(embed_network(Context({.threads = 2}), make_graph(300, {})).columns.cols(), 0U);
}

}  // namespace
}  // namespace cone

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "inference/dependence.hpp"
#include "support/fixture.hpp"

namespace cone {
namespace {

constexpr double kAgreement = 1e-9;

/// The reference's network, and arrays of one value per node.
struct Reference {
  nlohmann::json json = testing::read_fixture("dependence.json");
  std::size_t num_nodes = json.at("num_nodes");
  Graph graph;
  Clustering clusters;
  Matrix<double> phi;

  Reference() {
    std::vector<Edge> edges;
    for (const auto& pair : json.at("edges")) {
      edges.push_back({pair.at(0).get<NodeIndex>(), pair.at(1).get<NodeIndex>()});
    }
    graph = build_graph(Context(), num_nodes, edges);
    clusters = take_clusters(graph, json.at("cluster").get<std::vector<std::uint32_t>>());
    phi = Matrix<double>(num_nodes, 3);
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < num_nodes; ++i) phi(i, k) = json.at("phi").at(k).at(i);
    }
  }
};

const DependentCovariance& find(const std::vector<DependentCovariance>& ways, Dependence wanted) {
  for (const DependentCovariance& way : ways) {
    if (way.dependence == wanted) return way;
  }
  throw std::runtime_error("no such dependence");
}

TEST(DependenceFixture, VariancesMatchTheReferences) {
  const Reference reference;
  const DependenceKernels kernels(Context(), reference.graph, reference.clusters);
  const auto ways = kernels.covariances(Context({.threads = 2}), reference.phi.view());
  // One minus the share that a mean takes out of the kernel of common_neighbours.
  const double centring = 1 - reference.json.at("common_neighbours_mean_share").get<double>();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto expect = [&](const char* name, Dependence dependence, double factor) {
      const double expected = reference.json.at(name).at(k).get<double>() * factor;
      EXPECT_NEAR(find(ways, dependence).covariance(k, k), expected, kAgreement) << name << k;
    };
    expect("independent", Dependence::kIndependent, 1);
    expect("neighbours", Dependence::kNeighbours, 1);
    expect("common_neighbours", Dependence::kCommonNeighbours, 1 / centring);
    expect("clusters", Dependence::kClusters, 1);
  }
}

TEST(DependenceFixture, LatentVarianceMatchesMossSpider) {
  const Reference reference;
  Matrix<double> psi(reference.num_nodes, 1);
  for (std::size_t i = 0; i < reference.num_nodes; ++i) {
    const double residual = reference.json.at("outcome").at(i).get<double>() -
                            reference.json.at("mu").at(i).get<double>();
    psi(i, 0) = reference.json.at("weights").at(i).get<double>() * residual;
  }
  const DependenceKernels kernels(Context(), reference.graph, {});
  const auto ways = kernels.covariances(Context(), psi.view());
  EXPECT_NEAR(find(ways, Dependence::kNeighbours).covariance(0, 0),
              reference.json.at("latent").get<double>(), kAgreement);
}

TEST(DependenceFixture, RelativeErrorOfTheVarianceMatchesTheFormula) {
  const Reference reference;
  const DependenceKernels kernels(Context(), reference.graph, {});
  const auto ways = kernels.covariances(Context(), reference.phi.view());
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& noise = reference.json.at("relative_noise");
    EXPECT_NEAR(find(ways, Dependence::kNeighbours).noise[k],
                noise.at("neighbours").at(k).get<double>(), kAgreement);
    EXPECT_NEAR(find(ways, Dependence::kCommonNeighbours).noise[k],
                noise.at("common_neighbours").at(k).get<double>(), kAgreement);
  }
  EXPECT_NE(find(ways, Dependence::kNeighbours).unusable, "")
      << "relative standard error above 30 %";
}

}  // namespace
}  // namespace cone

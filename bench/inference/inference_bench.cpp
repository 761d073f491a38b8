// Time of standard errors under dependence and of joint comparisons, after fitting, as JSON.
//   inference_bench NODES EDGES POLICIES THREADS
#include <chrono>
#include <cstdlib>
#include <exception>
#include <vector>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "base/random.hpp"
#include "graph/communities.hpp"
#include "inference/association.hpp"
#include "inference/dependence.hpp"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void run(char** argv) {
  const auto n = static_cast<std::size_t>(std::atoll(argv[1]));
  const auto num_edges = static_cast<std::size_t>(std::atoll(argv[2]));
  const auto num_policies = static_cast<std::size_t>(std::atoll(argv[3]));
  const cone::Context context({.seed = 1, .threads = std::atoi(argv[4])});
  cone::Rng rng(1, cone::Stream::kTest, 0);
  std::vector<cone::Edge> edges;
  for (std::size_t e = 0; e < num_edges; ++e) {
    edges.push_back(
        {static_cast<cone::NodeIndex>(rng.below(n)), static_cast<cone::NodeIndex>(rng.below(n))});
  }
  const cone::Graph graph = cone::build_graph(context, n, edges);
  cone::Matrix<double> parts(n, num_policies);
  for (double& value : parts.values()) value = rng.normal();
  std::vector<double> residual(n);
  for (double& value : residual) value = rng.normal();
  std::vector<double> values(num_policies);
  for (double& value : values) value = rng.normal();
  std::vector<std::uint64_t> keys(n);
  for (std::uint64_t& key : keys) key = rng.next_u64();

  Clock::time_point start = Clock::now();
  const cone::DependenceKernels kernels(
      context, graph, cone::take_clusters(graph, cone::find_communities(context, graph, keys)));
  const double prepare = seconds_since(start);
  start = Clock::now();
  const auto ways = kernels.covariances(context, parts.view());
  const cone::SharedNoise shared = kernels.measure_shared_noise(context, residual);
  const auto joint = kernels.shared_covariance(context, shared, parts.view(), ways[0].covariance);
  const double errors = seconds_since(start);
  start = Clock::now();
  const auto compared = cone::compare_policies(context, values, joint.covariance.view(), 0.95);
  const double comparison = seconds_since(start);
  start = Clock::now();
  const cone::NetworkAssociation found =
      cone::measure_association(context, cone::Neighbourhood(graph), residual, 1);
  const double association = seconds_since(start);
  fmt::print(
      "{{\"nodes\": {}, \"edges\": {}, \"policies\": {}, \"threads\": {}, \"prepare_seconds\": {}, "
      "\"errors_seconds\": {}, \"comparison_seconds\": {}, \"association_seconds\": {}, "
      "\"permutations\": {}, \"band_factor\": {}}}\n",
      n, graph.num_edges(), num_policies, context.num_threads(), prepare, errors, comparison,
      association, found.permutations, compared.band_factor);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: inference_bench NODES EDGES POLICIES THREADS\n");
    return 2;
  }
  try {
    run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/policy.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone::testing {

/// A dataset of n nodes on a ring with three dense features, outcome x·β + effect·t + noise, and
/// a policy that depends on the features.
struct SmallWorld {
  LoadedData data;
  std::vector<PolicyOnData> policies;
};

/// With `confounding` 0 treatment is randomised.
inline SmallWorld small_world(std::size_t n, double confounding, double effect,
                              std::uint64_t item) {
  Rng rng(23, Stream::kTest, item);
  SmallWorld world;
  Dataset& data = world.data.observed;
  data.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::vector<double> y0;
  std::vector<double> y1;
  std::vector<double> policy;
  for (std::size_t i = 0; i < n; ++i) {
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % n)});
    const double x[3] = {rng.normal(), rng.normal(), rng.normal()};
    for (std::uint32_t j = 0; j < 3; ++j) {
      columns.push_back(j);
      values.push_back(x[j]);
    }
    offsets.push_back(columns.size());
    const double base = x[0] - 0.5 * x[1] + 0.5 * rng.normal();
    const bool treated = rng.bernoulli(sigmoid(confounding * x[0]));
    y0.push_back(base);
    y1.push_back(base + effect);
    data.treatment.push_back(treated ? 1 : 0);
    data.outcome.push_back(treated ? y1.back() : y0.back());
    policy.push_back(sigmoid(x[1]));
  }
  data.graph = build_graph(Context({.threads = 1}), n, edges);
  data.features.matrix = SparseMatrix(3, std::move(offsets), std::move(columns), std::move(values));
  data.features.names = {"x0", "x1", "x2"};
  data.features.num_dense = 3;
  world.data.truth = Truth(join_arms(std::vector{y0, y1}));
  world.policies = {{"by x1", two_arm_probabilities(policy)}};
  return world;
}

}  // namespace cone::testing

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone::testing {

struct SimulationShape {
  std::size_t nodes = 200;
  std::size_t features = 8;
  double density = 0.5;
  double treatment_slope = 1;  ///< of the logit of treatment in feature 0
  double noise = 0.5;
};

/// Sparse normal features; logit P(t) = slope·x_0; y = 1 + 2t + x_0 + (1 + t)·x_1 + noise.
struct Simulated {
  Dataset data;
  std::vector<std::vector<double>> x;
  std::vector<double> propensity;
};

inline double expected_outcome(const std::vector<double>& x, int t) {
  return 1 + 2 * t + x[0] + (1 + t) * x[1];
}

inline Simulated simulate(const SimulationShape& shape, std::uint64_t seed) {
  Simulated out;
  out.data.ids = IdTable::numbered(shape.nodes);
  for (std::size_t i = 0; i < shape.nodes; ++i) {
    Rng rng(seed, Stream::kTest, i);
    std::vector<double> row(shape.features, 0.0);
    for (double& value : row) {
      if (rng.bernoulli(shape.density)) value = rng.normal();
    }
    out.propensity.push_back(sigmoid(shape.treatment_slope * row[0]));
    const int t = rng.bernoulli(out.propensity.back()) ? 1 : 0;
    out.data.treatment.push_back(static_cast<std::uint8_t>(t));
    out.data.outcome.push_back(expected_outcome(row, t) + shape.noise * rng.normal());
    out.x.push_back(std::move(row));
  }
  out.data.features.matrix = sparse_from_rows(out.x);
  out.data.features.num_dense = shape.features;
  for (std::size_t j = 0; j < shape.features; ++j) {
    out.data.features.names.push_back(std::to_string(j));
  }
  return out;
}

/// Treat all, treat none, and a different probability for every node.
inline Matrix<double> three_policies(std::size_t num_nodes) {
  Matrix<double> policies(3, num_nodes);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    policies(0, i) = 1;
    policies(2, i) = Rng(99, Stream::kTest, i).uniform();
  }
  return policies;
}

/// The columns of X in another order.
inline Dataset with_columns_reversed(const Simulated& simulated) {
  Dataset data = simulated.data;
  auto x = simulated.x;
  for (auto& row : x) std::reverse(row.begin(), row.end());
  data.features.matrix = sparse_from_rows(x);
  return data;
}

inline Dataset with_arms_swapped(Dataset data) {
  for (std::uint8_t& t : data.treatment) t = 1 - t;
  return data;
}

/// Bitwise equality; a NaN equals a NaN.
inline bool same_bits(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]))) return false;
  }
  return true;
}

}  // namespace cone::testing

#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "cone/matrix.hpp"

#include "ops/attention.hpp"

namespace cone::ops {

/// Owns the arrays of an Adjacency.
struct OwnedGraph {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint32_t> neighbours;
  Adjacency view() const { return {offsets, neighbours}; }
};

inline OwnedGraph graph_of(const std::vector<std::set<std::uint32_t>>& rows) {
  OwnedGraph graph{.offsets = {0}};
  for (const auto& row : rows) {
    graph.neighbours.insert(graph.neighbours.end(), row.begin(), row.end());
    graph.offsets.push_back(graph.neighbours.size());
  }
  return graph;
}

/// A random graph in which node 0 is adjacent to all nodes but the isolated ones, every 11th.
inline OwnedGraph random_graph(std::size_t nodes, std::size_t edges, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<std::uint32_t> any(0, static_cast<std::uint32_t>(nodes - 1));
  std::vector<std::set<std::uint32_t>> rows(nodes);
  const auto connect = [&](std::uint32_t a, std::uint32_t b) {
    if (a == b || a % 11 == 10 || b % 11 == 10) return;
    rows[a].insert(b);
    rows[b].insert(a);
  };
  for (std::uint32_t i = 1; i < nodes; ++i) connect(0, i);
  for (std::size_t e = 0; e < edges; ++e) connect(any(random), any(random));
  return graph_of(rows);
}

/// Values that a float holds exactly, so that both precisions start from the same numbers.
inline Matrix<double> random_matrix(std::size_t rows, std::size_t cols, std::uint32_t seed,
                                    double scale = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, static_cast<float>(scale));
  Matrix<double> m(rows, cols);
  for (double& value : m.values()) value = normal(random);
  return m;
}

template <class Real>
Matrix<Real> as(const Matrix<double>& m) {
  Matrix<Real> result(m.rows(), m.cols());
  std::transform(m.values().begin(), m.values().end(), result.values().begin(),
                 [](double value) { return static_cast<Real>(value); });
  return result;
}

template <class T>
MatrixView<const T> constant(const Matrix<T>& m) {
  return m.view();
}

/// The largest |a − b|, relative to the largest |b| or 1; infinities must agree.
template <class Real>
double largest_difference(const Matrix<Real>& a, const Matrix<double>& b) {
  double difference = a.rows() == b.rows() && a.cols() == b.cols() ? 0 : INFINITY;
  double scale = 1;
  for (std::size_t i = 0; i < b.values().size(); ++i) {
    const auto value = static_cast<double>(a.values()[i]);
    if (value == b.values()[i]) continue;
    const double distance = std::abs(value - b.values()[i]);
    if (!(distance <= difference)) difference = distance;  // also for NaN
    if (std::isfinite(b.values()[i])) scale = std::max(scale, std::abs(b.values()[i]));
  }
  return difference / scale;
}

}  // namespace cone::ops

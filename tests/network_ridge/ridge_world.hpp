#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "support/small_data.hpp"

namespace cone::testing {

/// A network with hubs and isolated nodes, numeric features (a normal one, a skewed one, a dummy),
/// count features, and outcomes that depend on own features, neighbours and a latent trait of
/// theirs.
struct RidgeWorld {
  std::vector<std::vector<double>> rows;  ///< features: numeric, then counts
  Dataset data;

  void store_features() { data.features.matrix = sparse_from_rows(rows); }
};

struct RidgeShape {
  std::size_t nodes = 300;
  std::size_t arms = 2;
  std::size_t counts = 30;
  std::size_t mean_degree = 8;
  bool binary = false;
};

inline constexpr std::size_t kRidgeNumeric = 3;

inline Graph draw_network(std::size_t n, std::size_t mean_degree, std::uint64_t item) {
  Rng rng(53, Stream::kTest, item);
  std::vector<NodeIndex> ends;  // hubs are listed more than once
  for (NodeIndex i = 0; i < n; ++i) {
    if (i % 13 == 5) continue;  // isolated
    const std::size_t times = i % 17 == 0 ? 8 : 1 + i % 3;
    ends.insert(ends.end(), times, i);
  }
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < n * mean_degree / 2; ++k) {
    const NodeIndex a = ends[rng.below(ends.size())];
    const NodeIndex b = ends[rng.below(ends.size())];
    if (a != b) edges.push_back({a, b});
  }
  return build_graph(Context({.threads = 1}), n, edges);
}

inline RidgeWorld ridge_world(const RidgeShape& shape, std::uint64_t item) {
  RidgeWorld world;
  Dataset& data = world.data;
  const std::size_t n = shape.nodes;
  data.ids = IdTable::numbered(n);
  data.graph = draw_network(n, shape.mean_degree, item);
  data.arms.clear();
  for (std::size_t a = 0; a < shape.arms; ++a) data.arms.push_back("arm" + std::to_string(a));
  std::vector<double> trait;
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(54 + item, Stream::kTest, i);
    std::vector<double> row = {rng.normal(), std::exp(rng.normal()), rng.bernoulli(0.3) ? 1.0 : 0};
    double said = 0;
    for (std::size_t w = 0; w < shape.counts; ++w) {
      row.push_back(i % 29 != 3 && rng.bernoulli(0.15) ? static_cast<double>(1 + rng.below(4)) : 0);
      if (w < 5) said += std::sqrt(row.back());
    }
    trait.push_back(0.5 * row[0] + 0.3 * said + rng.normal());
    world.rows.push_back(std::move(row));
  }
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(55 + item, Stream::kTest, i);
    double neighbours = 0;
    for (const NodeIndex j : data.graph.neighbours(static_cast<NodeIndex>(i)))
      neighbours += trait[j];
    const std::vector<double>& x = world.rows[i];
    const double lean = sigmoid(x[0] + 0.1 * neighbours);
    const auto arm = static_cast<Arm>(std::min<double>(
        static_cast<double>(shape.arms) - 1,
        std::floor(static_cast<double>(shape.arms) * (0.5 * rng.uniform() + 0.5 * lean))));
    data.treatment.push_back(arm);
    const double mean = std::sin(2 * x[0]) + x[2] + 0.2 * neighbours + arm * (1 + 0.1 * neighbours);
    const double outcome = mean + 0.4 * rng.normal();
    data.outcome.push_back(shape.binary ? (outcome > 0.5 ? 1.0 : 0.0) : outcome);
  }
  data.features.num_dense = kRidgeNumeric;
  for (std::size_t c = 0; c < kRidgeNumeric + shape.counts; ++c) {
    data.features.names.push_back("f" + std::to_string(c));
  }
  world.store_features();
  return world;
}

inline NetworkRidgeOptions solved_by(RidgeSolverChoice solver) {
  NetworkRidgeOptions options;
  options.ridge_solver = solver;
  return options;
}

/// Arm a with probability proportional to 1 + a, larger for nodes with a larger index.
inline Matrix<double> some_policy(std::size_t num_nodes, std::size_t num_arms) {
  Matrix<double> policy(num_nodes, num_arms);
  for (std::size_t i = 0; i < num_nodes; ++i) {
    double total = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      total += policy(i, a) = 1 + static_cast<double>((a + 1) * (i % 7));
    }
    for (double& share : policy.row(i)) share /= total;
  }
  return policy;
}

/// The learner's predictions, and the implied weights of a policy.
struct RidgeAnswer {
  Matrix<double> mu;  ///< scored nodes × arms
  ImpliedWeights implied;
  NetworkRidgeSummary summary;
  std::vector<std::string> warnings;

  double value(const Matrix<double>& policy, const FitPlan& plan) const {
    double total = 0;
    for (std::size_t k = 0; k < plan.scored.size(); ++k) {
      total += dot(policy.row(plan.scored[k]), mu.row(k));
    }
    return total / static_cast<double>(plan.scored.size());
  }
};

inline RidgeAnswer answer(const Context& context, const Dataset& data, const FitPlan& plan,
                          const NetworkRidgeOptions& options = {}) {
  const Nuisances learnt = NetworkRidgeLearner(options).fit(context, data, plan);
  const Matrix<double> policy = some_policy(data.num_nodes(), data.num_arms());
  return {learnt.outcome->mu,
          learnt.outcome->variance->imply_weights(context, std::vector{policy.view()})[0],
          *learnt.outcome->network_ridge, learnt.outcome->warnings};
}

inline RidgeAnswer answer(const Dataset& data, const FitPlan& plan,
                          const NetworkRidgeOptions& options = {}) {
  return answer(Context({.threads = 2}), data, plan, options);
}

inline double largest_difference(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) return kNaN;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= largest)) largest = difference;  // a NaN stays
  }
  return largest;
}

inline bool all_finite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isfinite(v); });
}

}  // namespace cone::testing

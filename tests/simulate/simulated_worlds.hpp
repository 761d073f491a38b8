#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "simulate/network.hpp"
#include "simulate/self_contained.hpp"
#include "simulate/semi_synthetic.hpp"

namespace cone::testing {

/// 4000 nodes, 400 of them isolated.
inline const SyntheticNetwork& shared_network() {
  static const SyntheticNetwork network = [] {
    NetworkOptions options;
    options.nodes = 4000;
    options.mean_degree = 10;
    options.isolated_fraction = 0.1;
    options.topics = 10;
    options.words = 8;
    options.words_per_node = 1;
    return generate_network(Context({.seed = 20}), options);
  }();
  return network;
}

inline SimulatedLog simulate(OutcomeOptions options, std::uint64_t simulation = 0,
                             int threads = 2) {
  return simulate_log(Context({.seed = 21, .threads = threads}), shared_network().graph,
                      shared_network().topics.view(), options, simulation);
}

inline SimulatedLog simulate(World world) { return simulate(OutcomeOptions{.world = world}); }

/// Those that need a network.
inline std::vector<World> all_worlds() {
  std::vector<World> worlds;
  for (const auto& entry : EnumNames<World>::kNames) {
    if (!is_self_contained(entry.first)) worlds.push_back(entry.first);
  }
  return worlds;
}

inline std::vector<double> effects(const SimulatedLog& log) {
  std::vector<double> effect;
  for (std::size_t i = 0; i < log.truth.outcomes().rows(); ++i) {
    effect.push_back(log.truth.outcomes()(i, 1) - log.truth.outcomes()(i, 0));
  }
  return effect;
}

inline double sd(std::span<const double> values) { return std::sqrt(variance(values, 0)); }

inline double correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean(a);
  const double mean_b = mean(b);
  std::vector<double> products;
  for (std::size_t i = 0; i < a.size(); ++i) products.push_back((a[i] - mean_a) * (b[i] - mean_b));
  return mean(products) / (sd(a) * sd(b));
}

inline double extreme_share(const SimulatedLog& log) {
  const std::vector<double> propensity = arm_column(log.propensity.view(), 1);
  const auto extreme =
      std::ranges::count_if(propensity, [](double p) { return std::min(p, 1 - p) < 0.05; });
  return static_cast<double>(extreme) / static_cast<double>(propensity.size());
}

inline void expect_same(const SimulatedLog& a, const SimulatedLog& b) {
  EXPECT_EQ(a.treatment, b.treatment);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_TRUE(std::ranges::equal(a.propensity.values(), b.propensity.values()));
  for (std::size_t arm = 0; arm < a.propensity.cols(); ++arm) {
    const auto number = static_cast<Arm>(arm);
    EXPECT_EQ(arm_column(a.truth.outcomes(), number), arm_column(b.truth.outcomes(), number));
  }
  EXPECT_EQ(a.hidden.centroids, b.hidden.centroids);
  EXPECT_EQ(a.hidden.edge_weights, b.hidden.edge_weights);
}

}  // namespace cone::testing

#include "policy_tree/mean_errors.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone::testing {
namespace {

/// Pairs of neighbours with the same noise: the effective sample size is half the number of nodes.
struct Pairs {
  Dataset data;
  std::vector<std::vector<double>> columns;
  std::vector<double> degrees;  ///< of freedom
};

Pairs draw_pairs(std::size_t num_pairs) {
  Pairs out;
  out.data.ids = IdTable::numbered(2 * num_pairs);
  std::vector<Edge> edges;
  std::vector<double> shared;
  std::vector<double> alone;
  Rng rng(4, Stream::kTest, 1);
  for (std::size_t k = 0; k < num_pairs; ++k) {
    edges.push_back({static_cast<NodeIndex>(2 * k), static_cast<NodeIndex>(2 * k + 1)});
    const double noise = rng.normal();
    shared.insert(shared.end(), {noise, noise});
    alone.push_back(rng.normal());
    alone.push_back(rng.normal());
  }
  out.data.graph = build_graph(Context({.threads = 1}), 2 * num_pairs, edges);
  out.columns = {shared, alone};
  out.degrees.assign(out.columns.size(), std::numeric_limits<double>::infinity());
  return out;
}

TEST(MeanErrors, AllowForCorrelatedNoiseOfNeighbours) {
  const Pairs of = draw_pairs(2000);
  const auto plain = measure_mean_errors(Context({.threads = 1}), of.data, of.columns, of.degrees,
                                         Dependence::kIndependent, 0.95);
  const auto wide = measure_mean_errors(Context({.threads = 1}), of.data, of.columns, of.degrees,
                                        Dependence::kLargest, 0.95);
  EXPECT_DOUBLE_EQ(plain[0].standard_error, standard_error(of.columns[0]));
  EXPECT_NEAR(plain[0].half_width, 1.959964 * plain[0].standard_error, 1e-6);
  EXPECT_NEAR(wide[0].standard_error / plain[0].standard_error, std::sqrt(2.0), 0.1);
  EXPECT_GE(wide[1].half_width, plain[1].half_width);
  EXPECT_LT(wide[1].standard_error, 1.15 * plain[1].standard_error);
}

TEST(MeanErrors, WithoutEdgesNodesAreIndependent) {
  Pairs of = draw_pairs(50);
  of.data.graph = build_graph(Context({.threads = 1}), 100, {});
  const auto errors = measure_mean_errors(Context({.threads = 1}), of.data, of.columns, of.degrees,
                                          Dependence::kLargest, 0.95);
  EXPECT_NEAR(errors[0].standard_error, standard_error(of.columns[0]), 1e-12);
}

}  // namespace
}  // namespace cone::testing

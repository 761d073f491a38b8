#include "policy_tree/mean_errors.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone::testing {
namespace {

/// Couples of neighbours with the same noise: the mean is half as sure as its nodes are many.
struct Couples {
  Dataset data;
  std::vector<std::vector<double>> columns;
};

Couples draw_couples(std::size_t num_couples) {
  Couples out;
  out.data.ids = IdTable::numbered(2 * num_couples);
  std::vector<Edge> edges;
  std::vector<double> shared;
  std::vector<double> alone;
  Rng rng(4, Stream::kTest, 1);
  for (std::size_t k = 0; k < num_couples; ++k) {
    edges.push_back({static_cast<NodeIndex>(2 * k), static_cast<NodeIndex>(2 * k + 1)});
    const double noise = rng.normal();
    shared.insert(shared.end(), {noise, noise});
    alone.push_back(rng.normal());
    alone.push_back(rng.normal());
  }
  out.data.graph = build_graph(Context(0, 1), 2 * num_couples, edges);
  out.columns = {shared, alone};
  return out;
}

TEST(MeanErrors, AllowForNoiseThatNeighboursShare) {
  const Couples of = draw_couples(2000);
  const auto plain =
      measure_mean_errors(Context(0, 1), of.data, of.columns, Dependence::kIndependent, 0.95);
  const auto wide =
      measure_mean_errors(Context(0, 1), of.data, of.columns, Dependence::kLargest, 0.95);
  EXPECT_DOUBLE_EQ(plain[0].standard_error, standard_error(of.columns[0]));
  EXPECT_NEAR(plain[0].half_width, 1.959964 * plain[0].standard_error, 1e-6);
  EXPECT_NEAR(wide[0].standard_error / plain[0].standard_error, std::sqrt(2.0), 0.1);
  EXPECT_GE(wide[1].half_width, plain[1].half_width);
  EXPECT_LT(wide[1].standard_error, 1.15 * plain[1].standard_error);
}

TEST(MeanErrors, WithoutEdgesNodesAreIndependent) {
  Couples of = draw_couples(50);
  of.data.graph = build_graph(Context(0, 1), 100, {});
  const auto errors =
      measure_mean_errors(Context(0, 1), of.data, of.columns, Dependence::kLargest, 0.95);
  EXPECT_NEAR(errors[0].standard_error, standard_error(of.columns[0]), 1e-12);
}

}  // namespace
}  // namespace cone::testing

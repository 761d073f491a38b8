// Given clusters, through a complete evaluation.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "estimate/significance.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// The small world with clusters of ten consecutive nodes.
SmallWorld world_of_clusters(std::size_t n, std::uint64_t item) {
  SmallWorld world = small_world(n, 0.5, 1.0, item);
  for (std::uint32_t i = 0; i < n; ++i) world.data.observed.cluster.push_back(i / 10);
  return world;
}

double error_by(const Estimate& e, Dependence dependence) {
  return std::ranges::find(e.errors_by_dependence, dependence, &DependentError::dependence)
      ->standard_error;
}

TEST(GivenClusters, ErrorsOfNaiveMatchAHandCalculation) {
  const SmallWorld world = world_of_clusters(200, 1);
  EvaluateOptions options;
  options.estimators = {"naive"};
  options.estimator.target = Target::kPopulation;
  options.estimator.dependence = Dependence::kClusters;
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  const Estimate& e = record.policies[0].estimates[0];
  std::vector<double> sums(20, 0.0);
  std::vector<double> sizes(20, 0.0);
  for (std::size_t i = 0; i < 200; ++i) {
    sums[i / 10] += e.parts.population[i];
    sizes[i / 10] += std::abs(e.parts.population[i]);
  }
  double squares = 0;
  double fourths = 0;
  for (const double s : sizes) {
    squares += s * s;
    fourths += s * s * s * s;
  }
  const double freedom = squares * squares / fourths - 1;
  EXPECT_LT(freedom, 19);
  double variance = 0;
  for (const double s : sums) variance += s * s / (200.0 * 200) * 20 / 19;
  EXPECT_NEAR(e.standard_error, std::sqrt(variance), 1e-12);
  EXPECT_EQ(e.dependence, Dependence::kClusters);
  EXPECT_NEAR(e.sampling_interval.second - e.value,
              two_sided_t_quantile(0.95, freedom) * e.standard_error, 1e-9);
  EXPECT_EQ(record.data.num_clusters, 20U);
}

TEST(GivenClusters, ForTheSampleMembersShareNoiseUnderEveryArm) {
  const SmallWorld world = world_of_clusters(200, 2);
  EvaluateOptions options;
  options.estimators = {"naive", "dr_ridge", "network_dm"};
  options.estimator.target = Target::kSample;
  options.sensitivity_interval = false;
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  for (const Estimate& e : record.policies[0].estimates) {
    const ErrorParts& parts = e.parts;
    const std::vector<double>& own = parts.unscaled.empty() ? parts.sample : parts.unscaled;
    const double unlogged =
        parts.unscaled.empty() ? parts.unlogged_variance : parts.unscaled_unlogged_variance;
    std::vector<double> sums(20, 0.0);
    double alone = 0;
    double together = 0;
    const double centre = mean(parts.grouped);
    for (std::size_t i = 0; i < 200; ++i) {
      const double part = parts.grouped[i] - centre;
      sums[i / 10] += part;
      alone += (own[i] - mean(own)) * (own[i] - mean(own));
      together -= part * part;
    }
    for (const double s : sums) together += s * s * 20 / 19;
    const double squares = alone + std::max(0.0, together);
    EXPECT_NEAR(error_by(e, Dependence::kClusters), std::sqrt(squares / 40000 + unlogged), 1e-12)
        << e.estimator;
  }
}

TEST(GivenClusters, WorkWithSurveyWeights) {
  SmallWorld world = world_of_clusters(200, 3);
  EvaluateOptions options;
  options.estimators = {"naive", "dr_ridge", "network_dm"};
  options.sensitivity_interval = false;
  const EvaluationRecord plain =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  world.data.observed.weight.assign(200, 3.0);
  const EvaluationRecord equal =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(equal.policies[0].estimates[k].standard_error,
              plain.policies[0].estimates[k].standard_error);
  }
  for (std::size_t i = 0; i < 200; ++i) world.data.observed.weight[i] = 1 + (i % 4);
  const EvaluationRecord weighted =
      evaluate(Context({.seed = 3, .threads = 2}), world.data, world.policies, options);
  EXPECT_TRUE(std::isfinite(error_by(weighted.policies[0].estimates[2], Dependence::kClusters)));
}

}  // namespace
}  // namespace cone

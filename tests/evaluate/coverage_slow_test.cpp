#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// Coverage with fitted nuisances: of the population's value and, where an interval is about the
/// sample, of the sample's.
TEST(Evaluate, IntervalsUnderRandomisationHaveTheirNominalCoverage) {
  constexpr int kRepetitions = 400;
  constexpr double kEffect = 1.0;
  // E[y(0)] = 0 and π is symmetric about ½, so the value is effect / 2.
  constexpr double kTruth = kEffect / 2;
  EvaluateOptions options;
  options.sensitivity_interval = false;  // only sampling intervals are tested
  for (const std::string_view name : default_estimators(false)) {
    // Networks take too long for so many repetitions; two estimators are tested elsewhere.
    const EstimatorInfo& row = *find_estimator(name);
    const bool has_interval = row.method != Method::kSwitch && row.method != Method::kShrinkage;
    if (has_interval && !row.needs(LearnerId::kCone) && row.outcome != LearnerId::kNetworks) {
      options.estimators.emplace_back(name);
    }
  }
  std::vector<int> covered(options.estimators.size(), 0);
  std::vector<int> covered_sample(options.estimators.size(), 0);
  const Context context({.threads = 1});
  for (int k = 0; k < kRepetitions; ++k) {
    const SmallWorld world = small_world(200, 0, kEffect, 100 + static_cast<std::uint64_t>(k));
    const auto record = evaluate(context, world.data, world.policies, options);
    for (std::size_t e = 0; e < covered.size(); ++e) {
      const Estimate& row = record.policies[0].estimates[e];
      const auto covers = [](std::pair<double, double> interval, double truth) {
        return interval.first <= truth && truth <= interval.second ? 1 : 0;
      };
      covered[e] += covers(row.population_sampling_interval, kTruth);
      covered_sample[e] += covers(row.sample_sampling_interval, *record.policies[0].truth);
    }
  }
  for (std::size_t e = 0; e < covered.size(); ++e) {
    EXPECT_GE(covered[e], 0.915 * kRepetitions) << options.estimators[e];
    EXPECT_LE(covered[e], 0.985 * kRepetitions) << options.estimators[e];
    if (!find_estimator(options.estimators[e])->needs(LearnerId::kNetworkRidge)) continue;
    // Both arms share their noise here, which the interval does not assume: it may be too wide.
    EXPECT_GE(covered_sample[e], 0.915 * kRepetitions) << options.estimators[e];
  }
}

}  // namespace
}  // namespace cone

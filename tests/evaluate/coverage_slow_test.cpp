#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

/// Fitted nuisances and all: how often does the interval hold the population's value, and, where
/// an interval is about these very units, theirs?
TEST(Evaluate, IntervalsOfARandomisedLogCoverAsOftenAsTheySay) {
  constexpr int kRepetitions = 400;
  constexpr double kEffect = 1.0;
  // E[y(0)] = 0 and π is symmetric about ½, so the value is effect / 2.
  constexpr double kTruth = kEffect / 2;
  EvaluateOptions options;
  options.sensitivity_interval = false;  // sampling intervals are asked about
  for (const std::string_view name : default_estimators(false)) {
    // Networks take too long for so many repetitions; two rows are left to others.
    const EstimatorInfo& row = *find_estimator(name);
    const bool has_interval = row.method != Method::kSwitch && row.method != Method::kShrinkage;
    if (has_interval && !row.needs(LearnerId::kCone) && row.outcome != LearnerId::kNetworks) {
      options.estimators.emplace_back(name);
    }
  }
  std::vector<int> covered(options.estimators.size(), 0);
  std::vector<int> covered_these(options.estimators.size(), 0);
  const Context context(0, 1);
  for (int k = 0; k < kRepetitions; ++k) {
    const SmallWorld world = small_world(200, 0, kEffect, 100 + static_cast<std::uint64_t>(k));
    const auto record = evaluate(context, world.data, world.policies, options);
    for (std::size_t e = 0; e < covered.size(); ++e) {
      const Estimate& row = record.policies[0].estimates[e];
      const auto holds = [](std::pair<double, double> interval, double truth) {
        return interval.first <= truth && truth <= interval.second ? 1 : 0;
      };
      covered[e] += holds(row.population_sampling_interval, kTruth);
      if (row.target == Target::kSample) {
        covered_these[e] += holds(row.sampling_interval, *record.policies[0].truth);
      }
    }
  }
  for (std::size_t e = 0; e < covered.size(); ++e) {
    EXPECT_GE(covered[e], 0.915 * kRepetitions) << options.estimators[e];
    EXPECT_LE(covered[e], 0.985 * kRepetitions) << options.estimators[e];
    if (!find_estimator(options.estimators[e])->needs(LearnerId::kNetworkRidge)) continue;
    // An arm's noise is the other's here, which the interval does not know: it may be too wide.
    EXPECT_GE(covered_these[e], 0.915 * kRepetitions) << options.estimators[e];
  }
}

}  // namespace
}  // namespace cone

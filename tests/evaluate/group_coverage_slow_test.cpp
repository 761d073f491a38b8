// Coverage of intervals where clusters share noise and treatment.
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

constexpr std::uint32_t kBlocks = 30;
constexpr std::uint32_t kUnits = 20;  // per block
constexpr double kBlockEffect = 0.5;

/// Most units of a block receive the same arm; y = x + effect · arm + block noise + own noise.
LoadedData draw_blocks(std::uint64_t item) {
  Rng rng(37, Stream::kTest, item);
  LoadedData out;
  Dataset& data = out.observed;
  const std::size_t n = std::size_t{kBlocks} * kUnits;
  data.ids = IdTable::numbered(n);
  Matrix<double> x(n, 1);
  std::vector<double> y0;
  std::vector<double> y1;
  for (std::uint32_t b = 0; b < kBlocks; ++b) {
    const double propensity = rng.bernoulli(0.5) ? 0.9 : 0.1;
    const double shared = rng.normal();
    for (std::uint32_t i = 0; i < kUnits; ++i) {
      const double own = x(data.cluster.size(), 0) = rng.normal();
      y0.push_back(own + shared + rng.normal());
      y1.push_back(own + kBlockEffect + shared + rng.normal());
      const bool treated = rng.bernoulli(propensity);
      data.treatment.push_back(treated ? 1 : 0);
      data.outcome.push_back(treated ? y1.back() : y0.back());
      data.cluster.push_back(b);
    }
  }
  data.graph = build_graph(Context({.threads = 1}), n, {});
  data.features.matrix = FeatureMatrix(std::move(x));
  data.features.names = {"x"};
  data.features.num_dense = 1;
  out.truth = Truth(join_arms(std::vector{y0, y1}));
  return out;
}

TEST(GivenClusters, GiveNominalCoverageWhereBlocksShareNoiseAndTreatment) {
  constexpr int kLogs = 200;
  const std::size_t n = std::size_t{kBlocks} * kUnits;
  const std::vector<PolicyOnData> policies = {
      {"all", two_arm_probabilities(std::vector<double>(n, 1.0))}};
  for (const Target target : {Target::kSample, Target::kPopulation}) {
    EvaluateOptions options;
    options.estimators = {"naive", "dr_ridge"};
    options.estimator.target = target;
    options.sensitivity_interval = false;
    std::vector<int> with(2, 0);
    std::vector<int> without(2, 0);
    for (int k = 0; k < kLogs; ++k) {
      LoadedData data = draw_blocks(static_cast<std::uint64_t>(k));
      for (std::vector<int>* covered : {&with, &without}) {
        if (covered == &without) data.observed.cluster.clear();
        const PolicyResult found =
            evaluate(Context({.threads = 1}), data, policies, options).policies.front();
        const double truth = target == Target::kSample ? *found.truth : kBlockEffect;
        for (std::size_t e = 0; e < 2; ++e) {
          const auto [low, high] = found.estimates[e].sampling_interval;
          (*covered)[e] += low <= truth && truth <= high ? 1 : 0;
        }
      }
    }
    for (std::size_t e = 0; e < 2; ++e) {
      const std::string what =
          fmt::format("{}, {}: {} of {} with clusters, {} without", options.estimators[e],
                      enum_name(target), with[e], kLogs, without[e]);
      EXPECT_GE(with[e], 0.91 * kLogs) << what;
      EXPECT_LE(with[e], 0.995 * kLogs) << what;
      EXPECT_LE(without[e], 0.8 * kLogs) << what;
      RecordProperty(fmt::format("covered_{}_{}", options.estimators[e], enum_name(target)),
                     with[e]);
    }
  }
}

}  // namespace
}  // namespace cone

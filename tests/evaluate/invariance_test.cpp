// Invariances of estimates: to the unit and the zero of a numeric feature, to the unit of all
// counts. Every estimator of the catalogue goes through a complete evaluation.

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodes = 240;
constexpr std::size_t kDense = 3;
constexpr std::size_t kCounts = 6;

/// A birth year, an income and a dummy; six count features; edges between consecutive nodes.
struct MixedWorld {
  std::vector<std::vector<double>> rows;
  LoadedData data;
  std::vector<PolicyOnData> policies;

  void store_features() { data.observed.features.matrix = testing::sparse_from_rows(rows); }
};

MixedWorld make_mixed_world() {
  MixedWorld world;
  Dataset& data = world.data.observed;
  data.ids = IdTable::numbered(kNodes);
  std::vector<Edge> edges;
  std::vector<double> policy;
  for (std::size_t i = 0; i < kNodes; ++i) {
    Rng rng(41, Stream::kTest, i);
    const double year = rng.normal();
    const double income = std::exp(rng.normal());
    const double dummy = rng.bernoulli(0.2) ? 1 : 0;
    std::vector<double> row = {year, income, dummy};
    for (std::size_t w = 0; w < kCounts; ++w) row.push_back(rng.bernoulli(0.4) ? 1.0 + w : 0.0);
    const bool treated = rng.bernoulli(sigmoid(0.8 * year));
    data.treatment.push_back(treated ? 1 : 0);
    data.outcome.push_back(2 * year + 0.3 * income + (treated ? 1 + dummy : 0) + 0.2 * row[3] +
                           0.5 * rng.normal());
    policy.push_back(sigmoid(year));
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 1) % kNodes)});
    edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>((i + 7) % kNodes)});
    // Degrees differ.
    if (i % 4 == 0) {
      edges.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(i * i % kNodes)});
    }
    world.rows.push_back(std::move(row));
  }
  data.graph = build_graph(Context({.threads = 1}), kNodes, edges);
  data.features.num_dense = kDense;
  for (std::size_t j = 0; j < kDense + kCounts; ++j) {
    data.features.names.push_back("f" + std::to_string(j));
  }
  world.policies = {{"by year", two_arm_probabilities(policy)}};
  world.store_features();
  return world;
}

EvaluateOptions all_estimators() {
  EvaluateOptions options;
  for (const EstimatorInfo& row : estimator_catalogue()) {
    if (row.outcome != LearnerId::kGiven) options.estimators.emplace_back(row.name);
  }
  options.plan.folds = 2;
  options.cone.heads = 2;
  options.cone.head_size = 4;
  options.cone.hidden = 8;
  options.cone.epochs = 40;
  return options;
}

std::vector<Estimate> estimates(const MixedWorld& world) {
  return evaluate(Context({.seed = 5, .threads = 2}), world.data, world.policies, all_estimators())
      .policies[0]
      .estimates;
}

/// Closed forms differ by rounding; training in single precision carries a rounding of the inputs
/// through its epochs.
double tolerance(const Estimate& estimate) {
  const EstimatorInfo* row = find_estimator(estimate.estimator);
  const bool trains = row->needs(LearnerId::kCone) || row->outcome == LearnerId::kNetworks;
  return trains ? 2e-3 : 1e-6;
}

void expect_same(const MixedWorld& moved) {
  static const std::vector<Estimate> expected = estimates(make_mixed_world());
  const std::vector<Estimate> found = estimates(moved);
  ASSERT_EQ(found.size(), expected.size());
  const double sd = std::sqrt(variance(moved.data.observed.outcome, 0));
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_NEAR(found[k].value, expected[k].value, tolerance(found[k]) * sd) << found[k].estimator;
    EXPECT_EQ(found[k].status, expected[k].status) << found[k].estimator;
  }
}

TEST(Evaluate, ShiftingANumericFeatureChangesNoEstimate) {
  MixedWorld world = make_mixed_world();
  for (auto& row : world.rows) row[0] = 1990 + 6 * row[0];
  world.store_features();
  expect_same(world);
}

TEST(Evaluate, RescalingANumericFeatureChangesNoEstimate) {
  MixedWorld world = make_mixed_world();
  for (auto& row : world.rows) {
    row[1] *= 40'000;
    row[2] *= -1e-4;
  }
  world.store_features();
  expect_same(world);
}

TEST(Evaluate, RecodingADummyChangesNoEstimate) {
  MixedWorld world = make_mixed_world();
  for (auto& row : world.rows) row[2] = 2 - row[2];
  world.store_features();
  expect_same(world);
}

TEST(Evaluate, MultiplyingAllCountsChangesNoEstimate) {
  MixedWorld world = make_mixed_world();
  for (auto& row : world.rows) {
    for (std::size_t j = kDense; j < row.size(); ++j) row[j] *= 7;
  }
  world.store_features();
  expect_same(world);
}

}  // namespace
}  // namespace cone

// Invariances of the diagnostics with a verdict, through complete evaluations.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_network.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kJudged[] = {"overlap",         "weights",  "positivity",
                                   "calibration",     "balance",  "residuals_by_degree",
                                   "variance_shares", "stability"};

Json diagnostics_of(const testing::SmallWorld& world, int threads = 2,
                    std::vector<std::string> estimators = {"network_dr", "dr_ridge"}) {
  EvaluateOptions options;
  options.estimators = std::move(estimators);
  options.plan.folds = 3;
  return to_json(evaluate(Context({.seed = 3, .threads = threads}), world.data, world.policies,
                          options))["diagnostics"];
}

void expect_close(const Json& a, const Json& b, const std::string& path) {
  ASSERT_EQ(a.type(), b.type()) << path;
  if (a.is_structured()) {
    ASSERT_EQ(a.size(), b.size()) << path;
    for (auto one = a.begin(), other = b.begin(); one != a.end(); ++one, ++other) {
      expect_close(*one, *other, path + "/" + (a.is_object() ? one.key() : ""));
    }
  } else if (a.is_number_float()) {
    EXPECT_NEAR(a.get<double>(), b.get<double>(), 1e-6) << path;
  } else if (!path.ends_with("sentence")) {  // has rounded figures
    EXPECT_EQ(a, b) << path;
  }
}

TEST(Verdicts, ExistForEveryDiagnosticWithASentence) {
  const Json found = diagnostics_of(testing::small_world(300, 0.7, 1, 1));
  EXPECT_EQ(found["propensity_model"], "features");
  for (const char* name : kJudged) {
    ASSERT_FALSE(found[name].empty()) << name;
    for (const Json& entry : found[name]) {
      EXPECT_TRUE(entry["verdict"] == "ok" || entry["verdict"] == "caution") << name;
      EXPECT_FALSE(entry["sentence"].get<std::string>().empty()) << name;
    }
  }
  EXPECT_EQ(found["verdicts"].size(),
            std::size(kJudged) + 2);  // and the outcome and the joint model
}

TEST(Verdicts, AreTheSameInAnyOrderOfTheNodes) {
  const testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  std::vector<NodeIndex> order = testing::first_nodes(300);
  Rng rng(2, Stream::kTest);
  for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
  testing::SmallWorld permuted = world;
  permuted.data.observed = testing::with_nodes_permuted(world.data.observed, order);
  permuted.data.truth.reset();
  permuted.policies[0].probability = take_rows(world.policies[0].probability.view(), order);
  const Json before = diagnostics_of(world);
  const Json after = diagnostics_of(permuted);
  for (const char* name : kJudged) expect_close(before[name], after[name], name);
}

TEST(Verdicts, SwapWithTheArms) {
  const testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  testing::SmallWorld swapped = world;
  for (Arm& arm : swapped.data.observed.treatment) arm = 1 - arm;
  Matrix<double>& policy = swapped.policies[0].probability;
  for (std::size_t i = 0; i < policy.rows(); ++i) std::swap(policy(i, 0), policy(i, 1));
  const Json before = diagnostics_of(world, 2, {"dr_ridge"});
  Json after = diagnostics_of(swapped, 2, {"dr_ridge"});
  for (const char* name : {"overlap", "balance"}) {
    std::reverse(after[name].begin(), after[name].end());
    for (Json& entry : after[name]) entry["arm"] = entry["arm"] == "0" ? "1" : "0";
  }
  for (const char* name : {"overlap", "weights", "positivity", "balance", "residuals_by_degree"}) {
    expect_close(before[name], after[name], name);
  }
}

TEST(Verdicts, AreTheSameBitsAtAnyNumberOfThreads) {
  const testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  EXPECT_EQ(diagnostics_of(world, 1).dump(), diagnostics_of(world, 4).dump());
}

TEST(Verdicts, WithoutEdgesOmitNeighbours) {
  testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  world.data.observed.graph = build_graph(Context({.threads = 1}), 300, {});
  const Json found = diagnostics_of(world, 2, {"dr_ridge"});
  EXPECT_TRUE(found["residuals_by_degree"].empty());
  EXPECT_TRUE(found["variance_shares"].empty());
  for (const Json& column : found["balance"][0]["columns"]) EXPECT_EQ(column["of"], "own");
}

/// Stops the run when the balance begins.
class StopsAtBalance : public ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t, std::uint64_t) override {
    return phase != "balance";
  }
};

TEST(Verdicts, AnInterruptedBalanceCostsNoEstimate) {
  const testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  StopsAtBalance observer;
  EvaluateOptions options;
  options.estimators = {"dr_ridge"};
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2, .progress = &observer}), world.data,
               world.policies, options);
  EXPECT_EQ(record.policies[0].estimates.size(), 1U);
  EXPECT_TRUE(record.diagnostics.balance.empty());
  EXPECT_FALSE(record.diagnostics.calibration.empty());
  EXPECT_TRUE(std::ranges::any_of(record.diagnostics.warnings, [](const std::string& warning) {
    return warning.find("interrupted") != std::string::npos;
  }));
}

}  // namespace
}  // namespace cone

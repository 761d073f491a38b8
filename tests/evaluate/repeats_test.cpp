#include "evaluate/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "support/small_world.hpp"

namespace cone {
namespace {

using testing::small_world;
using testing::SmallWorld;

SmallWorld tiny_world() { return small_world(120, 1.0, 1.0, 7); }

EvaluateOptions repeat_options(int repeats) {
  EvaluateOptions options;
  options.estimators = {"naive", "dr_ridge", "network_dm"};
  options.repeats = repeats;
  return options;
}

EvaluationRecord run_repeats(int repeats, std::uint64_t seed, int threads = 2) {
  const SmallWorld world = tiny_world();
  return evaluate(Context({.seed = seed, .threads = threads}), world.data, world.policies,
                  repeat_options(repeats));
}

const Estimate& estimate_called(const EvaluationRecord& record, const std::string& name) {
  return *std::ranges::find(record.policies[0].estimates, name, &Estimate::estimator);
}

double middle(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

TEST(Repeats, AreMediansOverConsecutiveSeeds) {
  std::vector<EvaluationRecord> single;
  for (std::uint64_t seed = 3; seed < 6; ++seed) single.push_back(run_repeats(1, seed));
  const EvaluationRecord joined = run_repeats(3, 3);
  EXPECT_EQ(joined.repeats, 3);
  for (const char* name : {"naive", "dr_ridge", "network_dm"}) {
    std::vector<double> values;
    for (const EvaluationRecord& record : single) {
      values.push_back(estimate_called(record, name).value);
    }
    const double median = middle(values);
    std::vector<double> squares;
    for (const EvaluationRecord& record : single) {
      const Estimate& e = estimate_called(record, name);
      squares.push_back(std::pow(e.standard_error, 2) + std::pow(e.value - median, 2));
    }
    const Estimate& e = estimate_called(joined, name);
    EXPECT_EQ(e.value, median) << name;
    EXPECT_NEAR(e.standard_error, std::sqrt(middle(squares)), 1e-15) << name;
    EXPECT_NEAR(*e.seed_sd, std::sqrt(variance(values, 1)), 1e-15) << name;
    EXPECT_NEAR((e.sampling_interval.first + e.sampling_interval.second) / 2, median, 1e-12);
    EXPECT_EQ(std::isnan(e.sensitivity_interval.first),
              std::string(name) == "naive");  // it has none
    EXPECT_FALSE(e.sensitivity_interval.first > e.sampling_interval.first) << name;
  }
  const Estimate& headline = estimate_called(joined, joined.decision->estimator);
  EXPECT_EQ(joined.decision->policies[1].value, headline.value);
  EXPECT_EQ(joined.decision->policies[1].sampling_interval, headline.sampling_interval);
}

TEST(Repeats, VaryLessWithTheSeedThanASingleRun) {
  std::vector<double> once;
  std::vector<double> five;
  for (std::uint64_t k = 0; k < 6; ++k) {
    once.push_back(estimate_called(run_repeats(1, 100 * k), "dr_ridge").value);
    five.push_back(estimate_called(run_repeats(5, 100 * k), "dr_ridge").value);
  }
  EXPECT_GT(variance(once, 1), 0);
  EXPECT_LT(variance(five, 1), 0.5 * variance(once, 1));
}

TEST(Repeats, OfOneAreASingleRun) {
  const EvaluationRecord record = run_repeats(1, 0);
  EXPECT_EQ(record.repeats, 1);
  for (const Estimate& e : record.policies[0].estimates) {
    EXPECT_FALSE(e.seed_sd);
    EXPECT_EQ(e.parts.inflation, 1);
  }
}

TEST(Repeats, AreTheSameAtAnyNumberOfThreads) {
  const EvaluationRecord one = run_repeats(2, 1, 1);
  const EvaluationRecord three = run_repeats(2, 1, 3);
  for (std::size_t e = 0; e < one.policies[0].estimates.size(); ++e) {
    EXPECT_EQ(one.policies[0].estimates[e].value, three.policies[0].estimates[e].value);
    EXPECT_EQ(one.policies[0].estimates[e].sampling_interval,
              three.policies[0].estimates[e].sampling_interval);
  }
}

TEST(Repeats, ARunWithoutAStandardErrorLeavesNone) {
  const Estimate sure{.value = 1, .standard_error = 0.5, .sampling_interval = {0, 2}};
  Estimate doubtful{.value = 3, .standard_error = kNaN, .sampling_interval = {kNaN, kNaN}};
  doubtful.status = EstimateStatus::kCaution;
  doubtful.warnings = {"no valid one"};
  const std::vector<const Estimate*> runs = {&sure, &doubtful, &sure};
  const Estimate joined = take_median(LoggedSample{}, runs);
  EXPECT_EQ(joined.value, 1);
  EXPECT_TRUE(std::isnan(joined.standard_error));
  EXPECT_TRUE(std::isnan(joined.sampling_interval.first));
  EXPECT_EQ(joined.warnings, doubtful.warnings);
}

/// Stops when the second repeat begins.
class StopInSecondRepeat : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override { return !stop_; }
  void enter(const ProgressStage& stage) override {
    stop_ = stop_ || stage.label.starts_with("repeat 2 of 3");
  }

 private:
  bool stop_ = false;
};

TEST(Repeats, FinishedOnesAreKeptWhenTheRunIsInterrupted) {
  StopInSecondRepeat observer;
  const SmallWorld world = tiny_world();
  const EvaluationRecord record =
      evaluate(Context({.seed = 3, .threads = 2, .progress = &observer}), world.data,
               world.policies, repeat_options(3));
  EXPECT_EQ(record.status, "interrupted");
  EXPECT_EQ(record.repeats, 1);
  EXPECT_EQ(estimate_called(record, "dr_ridge").value,
            estimate_called(run_repeats(1, 3), "dr_ridge").value);
}

TEST(Repeats, AreRefusedWithOutputsOfASingleSeed) {
  const SmallWorld world = tiny_world();
  NodeTable nodes;
  EXPECT_THROW(evaluate(Context({.threads = 1}), world.data, world.policies, repeat_options(2),
                        nullptr, &nodes),
               Error);
}

}  // namespace
}  // namespace cone

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "cone/evaluate.hpp"

#include "support/small_world.hpp"

namespace cone {
namespace {

/// Asks to stop once the joint model is fitted.
class StopInJointModel : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override { return !stop_; }
  void enter(const ProgressStage& stage) override {
    stop_ = stop_ || stage.label.find("joint model") != std::string::npos;
  }

 private:
  bool stop_ = false;
};

TEST(Evaluate, KeepsTheNetworkRidgeWhereTheJointModelIsInterrupted) {
  const testing::SmallWorld world = testing::small_world(300, 0.7, 1, 1);
  EvaluateOptions options;
  options.estimators = {"network_dm"};
  StopInJointModel observer;
  const EvaluationRecord record =
      evaluate(Context({.seed = 1, .threads = 1, .progress = &observer}), world.data,
               world.policies, options);
  EXPECT_EQ(record.status, "interrupted");
  ASSERT_EQ(record.policies[0].estimates.size(), 1U);
  EXPECT_TRUE(record.policies[0].estimates[0].joint.empty());
  EXPECT_TRUE(std::ranges::any_of(record.diagnostics.warnings, [](const std::string& warning) {
    return warning.starts_with("the joint model of treatment and outcome was not fitted");
  }));
  const EvaluationRecord whole =
      evaluate(Context({.seed = 1, .threads = 1}), world.data, world.policies, options);
  EXPECT_EQ(record.policies[0].estimates[0].value, whole.policies[0].estimates[0].value);
}

}  // namespace
}  // namespace cone

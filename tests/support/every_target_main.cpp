#include <cstdio>
#include <vector>

#include <gtest/gtest.h>

#include "support/simd_targets.hpp"

// Runs the tests once for each instruction set: as many repetitions as there are, each on its own.
namespace {

class OneTargetAnIteration : public testing::EmptyTestEventListener {
 public:
  explicit OneTargetAnIteration(std::vector<std::int64_t> targets) : targets_(std::move(targets)) {}

  void OnTestIterationStart(const testing::UnitTest& /*all*/, int iteration) override {
    const std::int64_t target = targets_[static_cast<std::size_t>(iteration) % targets_.size()];
    cone::testing::choose_target(target);
    std::printf("Instruction set: %s\n", hwy::TargetName(target));
  }

 private:
  std::vector<std::int64_t> targets_;
};

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::int64_t> targets = cone::testing::targets_of_this_machine();
  // Set first, so that --gtest_repeat on the command line still has the last word.
  GTEST_FLAG_SET(repeat, static_cast<int>(targets.size()));
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(
      new OneTargetAnIteration(std::move(targets)));  // gtest owns it
  return RUN_ALL_TESTS();
}

#include "exec/side_by_side.hpp"

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

using Tasks = std::vector<std::vector<double>>;

/// Sums in parallel loops, as a fold would.
std::vector<double> sums_of(std::size_t number, const Context& context) {
  std::vector<double> sums;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto parts = context.map_ranges<double>(500, 10, [&](std::size_t begin, std::size_t end) {
      return static_cast<double>(context.seed() + number) / static_cast<double>(begin + end);
    });
    sums.insert(sums.end(), parts.begin(), parts.end());
  }
  return sums;
}

TEST(SideBySide, ResultsAreThoseOfSerialRuns) {
  for (const int threads : {3, 4, 8}) {
    const Context context({.seed = 7, .threads = threads});
    Tasks results(3);
    std::vector<int> threads_of(3);
    run_side_by_side(context, "folds", 3, [&](std::size_t number, const Context& own) {
      results[number] = sums_of(number, own);
      threads_of[number] = own.num_threads();
    });
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(results[k], sums_of(k, Context({.seed = 7, .threads = 1})));
    EXPECT_EQ(threads_of[0] + threads_of[1] + threads_of[2], threads);
  }
}

/// Records the reported fractions, on the caller's thread only; asks to stop once `until` is
/// reached.
class FractionLog : public ProgressObserver {
 public:
  explicit FractionLog(double until = 2) : until_(until) {}
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    EXPECT_EQ(phase, "folds");
    fractions.push_back(static_cast<double>(done) / static_cast<double>(total));
    return fractions.back() < until_;
  }
  std::vector<double> fractions;

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
  double until_;
};

void work_in_steps(const Context& context, int steps) {
  const StageScope stage(context, "the whole task", 0, 1);
  for (int step = 0; step < steps; ++step) {
    context.report("steps", static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(steps));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(SideBySide, ReportsTheMeanOfTheTasksOnTheCallersThread) {
  FractionLog log;
  const Context context({.threads = 4, .progress = &log});
  run_side_by_side(context, "folds", 2, [&](std::size_t number, const Context& own) {
    work_in_steps(own, number == 0 ? 10 : 40);  // the caller may be waiting for the longer one
  });
  EXPECT_TRUE(std::is_sorted(log.fractions.begin(), log.fractions.end()));
  // More than the first and the last report; how many depends on the load of the machine.
  EXPECT_GT(std::set<double>(log.fractions.begin(), log.fractions.end()).size(), 2U);
  EXPECT_EQ(log.fractions.front(), 0);
  EXPECT_GT(log.fractions.back(), 0.5);
}

TEST(SideBySide, StopsEverythingWhenTheObserverAsks) {
  FractionLog log(0.01);
  const Context context({.threads = 6, .progress = &log});
  std::atomic<int> finished = 0;
  EXPECT_THROW(run_side_by_side(context, "folds", 3,
                                [&](std::size_t, const Context& own) {
                                  work_in_steps(own, 10000);
                                  own.for_each_range(100000, 1, [](std::size_t, std::size_t) {});
                                  ++finished;
                                }),
               Cancelled);
  EXPECT_EQ(finished, 0);
}

TEST(SideBySide, AFailureStopsTheOthersAndIsRethrown) {
  const Context context({.threads = 3});
  std::atomic<int> finished = 0;
  EXPECT_THROW(run_side_by_side(context, "folds", 3,
                                [&](std::size_t number, const Context& own) {
                                  if (number == 1) throw std::runtime_error("1");
                                  work_in_steps(own, 10000);
                                  ++finished;
                                }),
               std::runtime_error);
  EXPECT_EQ(finished, 0);
}

}  // namespace
}  // namespace cone

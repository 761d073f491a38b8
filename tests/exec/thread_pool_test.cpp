#include "cone/exec/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cone/base/error.hpp"
#include "cone/exec/context.hpp"

namespace cone {
namespace {

TEST(ThreadPool, RunsEveryTaskOnce) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> runs(1000);
    for (int repeat = 0; repeat < 3; ++repeat) {
      pool.run(runs.size(), [&](std::size_t i) { ++runs[i]; });
    }
    for (const auto& count : runs) EXPECT_EQ(count, 3);
  }
}

TEST(ThreadPool, RethrowsTheExceptionOfATaskAndStaysUsable) {
  ThreadPool pool(3);
  EXPECT_THROW(pool.run(100,
                        [](std::size_t i) {
                          if (i == 17) throw std::runtime_error("17");
                        }),
               std::runtime_error);
  std::atomic<int> done = 0;
  pool.run(10, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 10);
}

TEST(ThreadPool, RunsTasksStartedWithinATaskInline) {
  ThreadPool pool(3);
  std::atomic<int> done = 0;
  pool.run(4, [&](std::size_t) {
    const std::thread::id outer = std::this_thread::get_id();
    pool.run(5, [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      ++done;
    });
  });
  EXPECT_EQ(done, 20);
}

TEST(ThreadPool, ReportsProgressOnTheCallersThreadAndStopsWhenAsked) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> started = 0;
    EXPECT_THROW(pool.run(
                     100000,
                     [&](std::size_t) {
                       ++started;
                       // The other threads must not finish before the caller has its say.
                       if (std::this_thread::get_id() != caller) {
                         std::this_thread::sleep_for(std::chrono::milliseconds(1));
                       }
                     },
                     [&](std::size_t) {
                       EXPECT_EQ(std::this_thread::get_id(), caller);
                       return false;
                     }),
                 Cancelled);
    EXPECT_LT(started, 100000);
  }
}

TEST(Context, MapsRangesTheSameAtAnyNumberOfThreads) {
  std::vector<std::vector<double>> sums;
  for (const int threads : {1, 2, 7}) {
    const Context context(0, threads);
    sums.push_back(context.map_ranges<double>(1003, 100, [](std::size_t begin, std::size_t end) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i) sum += 1.0 / static_cast<double>(i + 1);
      return sum;
    }));
  }
  EXPECT_EQ(sums[0].size(), 11U);
  EXPECT_EQ(sums[0], sums[1]);
  EXPECT_EQ(sums[0], sums[2]);
}

}  // namespace
}  // namespace cone

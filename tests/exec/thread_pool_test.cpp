#include "exec/thread_pool.hpp"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

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
                       // The other threads must not finish before the caller has reported.
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

/// Counts the calls and checks their thread; after `patience` calls it asks to stop, or throws.
class Watcher : public ProgressObserver {
 public:
  explicit Watcher(int patience = -1, bool throws = false) : patience_(patience), throws_(throws) {}

  bool update(std::string_view, std::uint64_t, std::uint64_t) override {
    EXPECT_EQ(std::this_thread::get_id(), caller_);
    if (++num_asked_ != patience_) return true;
    if (throws_) throw std::runtime_error("the observer has had enough");
    return false;
  }
  int num_asked() const { return num_asked_; }

 private:
  const std::thread::id caller_ = std::this_thread::get_id();
  int patience_;
  bool throws_;
  int num_asked_ = 0;
};

void sleep_a_little(std::size_t, std::size_t) {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(Context, AsksTheObserverInLoopsOverRanges) {
  for (const int threads : {1, 3}) {
    Watcher never;
    Context({.threads = threads, .progress = &never}).for_each_range(100, 1, sleep_a_little);
    EXPECT_GT(never.num_asked(), 0) << threads;

    Watcher soon(1);
    std::atomic<int> done = 0;
    const auto count = [&](std::size_t begin, std::size_t end) {
      sleep_a_little(begin, end);
      ++done;
    };
    EXPECT_THROW(Context({.threads = threads, .progress = &soon}).for_each_range(100000, 1, count),
                 Cancelled);
    EXPECT_LT(done, 100000);
  }
}

TEST(Context, StopsWorkWithinTasksOfAllThreads) {
  for (const int threads : {1, 3}) {
    Watcher soon(3);
    const Context context({.threads = threads, .progress = &soon});
    std::atomic<int> finished = 0;
    EXPECT_THROW(context.for_each_task("tasks", 3,
                                       [&](std::size_t) {
                                         context.for_each_range(100000, 1, sleep_a_little);
                                         ++finished;
                                       }),
                 Cancelled);
    EXPECT_EQ(finished, 0) << threads;
  }
}

TEST(Context, ATaskThatFailsStopsTheOthersAndIsRethrown) {
  const Context context({.threads = 3});
  std::atomic<int> finished = 0;
  EXPECT_THROW(context.for_each_task("tasks", 3,
                                     [&](std::size_t number) {
                                       if (number == 2) throw std::runtime_error("2");
                                       for (int i = 0; i < 100000; ++i) {
                                         context.poll();
                                         sleep_a_little(0, 0);
                                       }
                                       ++finished;
                                     }),
               std::runtime_error);
  EXPECT_EQ(finished, 0);
}

TEST(Context, AnObserverThatThrowsLeavesNoTaskRunning) {
  for (const int threads : {1, 3}) {
    for (const int patience : {1, 2, 5}) {
      Watcher observer(patience, /*throws=*/true);
      const Context context({.threads = threads, .progress = &observer});
      std::atomic<int> at_work = 0;
      const auto work = [&](std::size_t number) {
        ++at_work;
        std::this_thread::sleep_for(std::chrono::milliseconds(number % 3 == 0 ? 1 : 80));
        --at_work;
      };
      EXPECT_THROW(context.for_each_task("tasks", 100, work), std::runtime_error);
      EXPECT_EQ(at_work, 0);
      std::atomic<int> done = 0;
      context.for_each_task("more", 10, [&](std::size_t) { ++done; });
      EXPECT_EQ(done, 10);
    }
  }
}

class StageLog : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override { return true; }
  void enter(const ProgressStage& stage) override { stages.push_back(stage); }
  std::vector<ProgressStage> stages;
};

TEST(ThreadPool, ServesSeveralCallersAtTheSameTime) {
  ThreadPool pool(3);
  std::vector<std::atomic<int>> runs(4 * 100);
  std::vector<std::thread> callers;
  for (std::size_t caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        pool.run(100, [&](std::size_t i) { ++runs[caller * 100 + i]; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& count : runs) EXPECT_EQ(count, 50);
}

TEST(ThreadPool, ATaskMayUseAnotherPoolWhichStopsWithIt) {
  ThreadPool outer(2);
  std::atomic<int> done = 0;
  std::atomic<bool> both_at_work = false;
  std::atomic<int> num_started = 0;
  const auto inner_task = [&](std::size_t) {
    for (int i = 0; i < 100000; ++i) {
      if (ThreadPool::stop_requested()) throw Cancelled();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ++done;
  };
  EXPECT_THROW(outer.run(2,
                         [&](std::size_t number) {
                           both_at_work = ++num_started == 2 || both_at_work;
                           if (number == 0) {
                             while (!both_at_work) std::this_thread::yield();
                             throw std::runtime_error("0");
                           }
                           ThreadPool inner(3);
                           inner.run(6, inner_task);
                         }),
               std::runtime_error);
  EXPECT_EQ(done, 0);
}

/// Counts the calls and checks that they do not overlap.
class ExclusiveObserver : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override {
    const bool was_alone = !inside_.exchange(true);
    EXPECT_TRUE(was_alone);
    ++num_asked_;
    inside_ = false;
    return true;
  }
  int num_asked() const { return num_asked_; }

 private:
  std::atomic<bool> inside_ = false;
  int num_asked_ = 0;
};

TEST(Context, CopiesShareThreadsAndObserver) {
  Watcher observer;
  const Context context({.seed = 1, .threads = 3, .progress = &observer});
  const Context other = context.with_seed(2);
  EXPECT_EQ(context.seed(), 1U);
  EXPECT_EQ(other.seed(), 2U);
  EXPECT_EQ(other.num_threads(), 3);
  other.report("a phase", 0, 1);
  EXPECT_EQ(observer.num_asked(), 1);
  context.with_observer(nullptr).report("a phase", 0, 1);
  EXPECT_EQ(observer.num_asked(), 1);
  const std::thread::id caller = std::this_thread::get_id();
  const Context serial = context.on_one_thread();
  EXPECT_EQ(serial.num_threads(), 1);
  serial.for_each_task("tasks", 20,
                       [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
  EXPECT_GT(observer.num_asked(), 20);
  const Context wider = serial.with_threads(4);
  EXPECT_EQ(wider.num_threads(), 4);
  EXPECT_EQ(wider.seed(), 1U);
  EXPECT_EQ(serial.num_threads(), 1);
  Watcher soon(1);
  EXPECT_THROW(context.with_observer(&soon).with_seed(3).for_each_range(100000, 1, sleep_a_little),
               Cancelled);
}

TEST(Context, SeveralThreadsMayComputeOnOne) {
  ExclusiveObserver observer;
  const Context context({.threads = 3, .progress = &observer});
  const auto sums_on = [](const Context& c) {
    std::vector<double> sums;
    for (int repeat = 0; repeat < 20; ++repeat) {
      c.for_each_task("tasks", 3, [](std::size_t) {});
      const auto parts = c.map_ranges<double>(1000, 10, [&](std::size_t begin, std::size_t) {
        return static_cast<double>(begin + c.seed());
      });
      for (const double part : parts) sums.push_back(part);
    }
    return sums;
  };
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> callers;
  for (std::size_t k = 0; k < results.size(); ++k) {
    callers.emplace_back([&, k] { results[k] = sums_on(context.with_seed(k)); });
  }
  for (std::thread& caller : callers) caller.join();
  for (std::size_t k = 0; k < results.size(); ++k) {
    EXPECT_EQ(results[k], sums_on(Context({.seed = k, .threads = 1})));
  }
  EXPECT_GT(observer.num_asked(), 4 * 20);
}

TEST(Context, StagesAreFractionsOfTheOuterStage) {
  StageLog log;
  const Context context({.threads = 1, .progress = &log});
  {
    const StageScope outer(context, "cone (2 of 2 models)", 0.5, 1);
    const StageScope inner(context, "fold 2 of 4", 0.25, 0.5);
  }
  ASSERT_EQ(log.stages.size(), 4U);
  EXPECT_EQ(log.stages[1].label, "cone (2 of 2 models), fold 2 of 4");
  EXPECT_EQ(log.stages[1].begin, 0.625);
  EXPECT_EQ(log.stages[1].end, 0.75);
  EXPECT_EQ(log.stages[2].label, "cone (2 of 2 models)");
  EXPECT_EQ(log.stages[3].label, "");
}

TEST(Context, MapsRangesTheSameAtAnyNumberOfThreads) {
  std::vector<std::vector<double>> sums;
  for (const int threads : {1, 2, 7}) {
    const Context context({.threads = threads});
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

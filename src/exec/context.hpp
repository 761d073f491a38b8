#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "exec/thread_pool.hpp"

namespace cone {

/// Where and how a computation runs: threads, seed, observer. Passed to everything that computes.
/// Results are a function of the seed and the inputs, never of the number of threads. Serves one
/// calling thread at a time, and calls the observer on that thread only.
class Context {
 public:
  explicit Context(std::uint64_t seed = 0, int num_threads = 0,
                   ProgressObserver* progress = nullptr)
      : pool_(num_threads), seed_(seed), progress_(progress) {}

  std::uint64_t seed() const { return seed_; }
  int num_threads() const { return pool_.num_threads(); }

  /// Runs `count` tasks in parallel and reports each under the name of the phase. Throws Cancelled
  /// when the observer asks to stop.
  void for_each_task(std::string_view phase, std::size_t count,
                     const std::function<void(std::size_t)>& task) const;

  /// Calls body(begin, end) on consecutive pieces of [0, count) of `grain` items each (the last may
  /// be shorter). The pieces depend on count and grain only. Throws Cancelled when the observer
  /// asks to stop.
  void for_each_range(std::size_t count, std::size_t grain,
                      const std::function<void(std::size_t, std::size_t)>& body) const;

  /// Like for_each_range, with body(begin, end) → T collected in the order of the pieces: reduce
  /// over the returned vector and the result is the same at any number of threads.
  template <class T, class Body>
  std::vector<T> map_ranges(std::size_t count, std::size_t grain, const Body& body) const {
    std::vector<T> results((count + grain - 1) / grain);
    for_each_range(count, grain, [&](std::size_t begin, std::size_t end) {
      results[begin / grain] = body(begin, end);
    });
    return results;
  }

  /// Reports a step of a phase. Throws Cancelled when asked to stop. Within a task on another
  /// thread it is poll().
  void report(std::string_view phase, std::uint64_t done, std::uint64_t total) const;

  /// A safe point of a long computation, to be called at least every 50 ms or so; costs tens of
  /// nanoseconds. On the calling thread it asks the observer about ten times a second; on any
  /// thread it throws Cancelled when the task at hand was told to stop.
  void poll() const;

 private:
  friend class StageScope;
  using Clock = std::chrono::steady_clock;

  /// Tells the observer where things stand and returns its answer.
  bool ask() const;
  bool is_time_to_ask() const;
  void enter(ProgressStage stage) const;

  mutable ThreadPool pool_;
  std::uint64_t seed_;
  ProgressObserver* progress_;
  // What the calling thread, and no other, last said to the observer.
  mutable std::string phase_;
  mutable std::uint64_t done_ = 0;
  mutable std::uint64_t total_ = 0;
  mutable Clock::time_point last_asked_ = Clock::now();
  mutable ProgressStage stage_;
};

/// While it lives, the phases of the run are those of a stage: from `begin` to `end`, as shares of
/// the stage it is entered from (of the whole run, where there is none). Stages may be nested. Only
/// on the calling thread.
class StageScope {
 public:
  StageScope(const Context& context, std::string_view label, double begin, double end);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  const Context& context_;
  ProgressStage previous_;
};

}  // namespace cone

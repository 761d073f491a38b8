#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "cone/base/progress.hpp"
#include "cone/exec/thread_pool.hpp"

namespace cone {

/// Where and how a computation runs: threads, seed, observer. Passed to everything that computes.
/// Results are a function of the seed and the inputs, never of the number of threads.
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

  /// Reports a step of a phase that runs on this thread; throws Cancelled when asked to stop.
  void report(std::string_view phase, std::uint64_t done, std::uint64_t total) const;

 private:
  mutable ThreadPool pool_;
  std::uint64_t seed_;
  ProgressObserver* progress_;
};

}  // namespace cone

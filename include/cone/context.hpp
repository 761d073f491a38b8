#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Where and how a computation runs: threads, seed and progress.

namespace cone {

class ThreadPool;
class Communicator;

/// A part of a run: its phases lie between `begin` and `end`, shares of the expected time of the
/// whole run.
struct ProgressStage {
  std::string label;  ///< "ridge (3 of 7 models), fold 2 of 5"; empty outside of any stage
  double begin = 0;
  double end = 1;
};

/// Observes a run. Always called on the thread that called the library.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;
  /// `done` of `total` units of `phase` are finished. Returning false asks the run to stop; it does
  /// so at the next safe point. Long computations ask about twenty times a second, with the same
  /// numbers as long as nothing is finished.
  virtual bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) = 0;
  /// The run enters this stage, or returns to it.
  virtual void enter(const ProgressStage& /*stage*/) {}
};

/// Where and how a computation runs: threads, seed, observer. Passed to everything that computes.
/// Results are a function of the seed and the inputs, never of the number of threads.
///
/// A handle: copies share the threads and the observer, and cost no more than a few pointers.
/// Several threads may compute at the same time on copies of one context, or on the same one. The
/// loops of one of them then run in parallel and those of the others serially, by turns. The
/// observer is called on these threads only, never on those of the context, and by one at a time;
/// stages (StageScope) are for one computation at a time.
class Context {
 public:
  explicit Context(std::uint64_t seed = 0, int num_threads = 0,
                   ProgressObserver* progress = nullptr);

  /// The same threads and observer.
  Context with_seed(std::uint64_t seed) const;
  /// The same threads and seed with another observer (null: none).
  Context with_observer(ProgressObserver* progress) const;
  /// The same seed and observer, on its own threads.
  Context with_threads(int num_threads) const;
  /// The same context if it has this many threads, otherwise one on its own threads.
  Context widen(int num_threads) const;
  /// The same seed and observer, all loops on the calling thread.
  Context on_one_thread() const;
  /// The same for a computation that all ranks of `comm` take part in, each with a part of the
  /// nodes and on one thread: sums over nodes are allreduced by `comm`, which must outlive all
  /// copies. With Communicator::self() for what this rank computes alone, on the threads that it
  /// has.
  Context shared_by(const Communicator& comm) const;

  std::uint64_t seed() const { return seed_; }
  int num_threads() const;
  /// Reductions over the ranks that have a part of the nodes; of one process, no communication.
  const Communicator& comm() const { return *comm_; }

  /// Runs `count` tasks in parallel and reports each under the name of the phase. Throws Cancelled
  /// when the observer asks to stop.
  void for_each_task(std::string_view phase, std::size_t count,
                     const std::function<void(std::size_t)>& task) const;

  /// Calls body(begin, end) on consecutive pieces of [0, count) of `grain` items each (the last may
  /// be shorter). The pieces depend on count and grain only. Asks the observer now and then, and
  /// throws Cancelled when it asks to stop.
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
  /// nanoseconds. On the calling thread it asks the observer about twenty times a second; on any
  /// thread it throws Cancelled when the task at hand was told to stop.
  void poll() const;

 private:
  friend class StageScope;
  friend void run_side_by_side(const Context& context, std::string_view phase, std::size_t count,
                               const std::function<void(std::size_t, const Context&)>& task);
  class Reporter;
  using Tasks = std::function<void(std::size_t)>;

  void run(std::size_t count, const Tasks& task,
           const std::function<bool(std::size_t)>& on_progress) const;

  std::shared_ptr<ThreadPool> pool_;
  std::shared_ptr<Reporter> reporter_;  // null without an observer
  std::uint64_t seed_;
  bool is_serial_ = false;
  const Communicator* comm_;
};

/// While it lives, the phases of the run belong to a stage: from `begin` to `end`, as shares of the
/// stage it is entered from (of the whole run, where there is none). Stages may be nested.
/// Within a task on another thread it does nothing.
class StageScope {
 public:
  StageScope(const Context& context, std::string_view label, double begin, double end);
  ~StageScope();
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  std::shared_ptr<Context::Reporter> reporter_;
  ProgressStage previous_;
};

}  // namespace cone

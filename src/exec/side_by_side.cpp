#include "exec/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

/// Resolution of a task's progress.
constexpr std::uint64_t kPartsPerTask = 1000;

/// The progress of all tasks.
class SharedProgress {
 public:
  SharedProgress(const Context& context, std::string_view phase, std::size_t count)
      : context_(context), phase_(phase), done_(count) {}

  void set(std::size_t number, double fraction) {
    const double parts = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kPartsPerTask);
    std::atomic<std::uint64_t>& done = done_[number];
    // Phases within the task start at 0 again; progress must not decrease.
    done = std::max(done.load(), static_cast<std::uint64_t>(parts));
  }
  /// Asks the observer, on the thread that started the tasks; throws Cancelled on any thread once
  /// the run is to stop.
  void report() const {
    std::uint64_t done = 0;
    for (const std::atomic<std::uint64_t>& parts : done_) done += parts;
    context_.report(phase_, done, kPartsPerTask * done_.size());
  }

 private:
  const Context& context_;
  std::string_view phase_;
  std::vector<std::atomic<std::uint64_t>> done_;
};

/// Receives the reports of one task.
class TaskObserver : public ProgressObserver {
 public:
  TaskObserver(SharedProgress& shared, std::size_t number) : shared_(shared), number_(number) {}

  bool update(std::string_view, std::uint64_t done, std::uint64_t total) override {
    const double fraction = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    // Outside of stages a phase says nothing about the progress of the task.
    if (!stage_.label.empty()) {
      shared_.set(number_, stage_.begin + fraction * (stage_.end - stage_.begin));
    }
    shared_.report();
    return true;
  }
  void enter(const ProgressStage& stage) override { stage_ = stage; }

 private:
  SharedProgress& shared_;
  std::size_t number_;
  ProgressStage stage_;
};

}  // namespace

void run_side_by_side(const Context& context, std::string_view phase, std::size_t count,
                      const std::function<void(std::size_t, const Context&)>& task) {
  const auto threads = static_cast<std::size_t>(context.num_threads());
  require(count > 0 && count <= threads, "run_side_by_side: more tasks than threads");
  SharedProgress progress(context, phase, count);
  const auto run_task = [&](std::size_t number) {
    TaskObserver observer(progress, number);
    // The first tasks get the remaining threads.
    const std::size_t own_threads = threads / count + (number < threads % count ? 1 : 0);
    task(number, Context({.seed = context.seed(),
                          .threads = static_cast<int>(own_threads),
                          .progress = &observer}));
    progress.set(number, 1);
  };
  const auto on_progress = [&](std::size_t) {
    progress.report();
    return true;
  };
  progress.report();
  context.run(count, run_task, on_progress);
}

}  // namespace cone

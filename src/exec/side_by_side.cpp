#include "exec/side_by_side.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone {
namespace {

/// What a task is told to be done of, to a thousandth.
constexpr std::uint64_t kPartsPerTask = 1000;

/// How far all tasks are.
class SharedProgress {
 public:
  SharedProgress(const Context& context, std::string_view phase, std::size_t count)
      : context_(context), phase_(phase), done_(count) {}

  void set(std::size_t number, double fraction) {
    const double parts = std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kPartsPerTask);
    std::atomic<std::uint64_t>& done = done_[number];
    // A phase within the task may start again; what was done stays done.
    done = std::max(done.load(), static_cast<std::uint64_t>(parts));
  }
  /// On the thread that started the tasks it asks the observer, on all it throws Cancelled when
  /// they are to stop.
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

/// Hears what one task reports.
class TaskObserver : public ProgressObserver {
 public:
  TaskObserver(SharedProgress& shared, std::size_t number) : shared_(shared), number_(number) {}

  bool update(std::string_view, std::uint64_t done, std::uint64_t total) override {
    const double share = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
    // Outside of any stage a phase says nothing about the whole task.
    if (!stage_.label.empty()) {
      shared_.set(number_, stage_.begin + share * (stage_.end - stage_.begin));
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
    // The first tasks get the threads that are left over.
    const std::size_t share = threads / count + (number < threads % count ? 1 : 0);
    task(number, Context(context.seed(), static_cast<int>(share), &observer));
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

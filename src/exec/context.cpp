#include "cone/context.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <utility>

#include "cone/error.hpp"

#include "exec/statistics.hpp"
#include "exec/thread_pool.hpp"

namespace cone {
namespace {

/// How often a computation asks the observer whether to go on. Users notice no delay up to about
/// twice this.
constexpr std::chrono::milliseconds kAskInterval(50);

}  // namespace

/// Passes reports of the calling threads to the observer, one at a time, and keeps the last one.
class Context::Reporter {
 public:
  explicit Reporter(ProgressObserver& observer) : observer_(observer) {}

  /// Reports progress and returns the observer's answer: whether to go on.
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
    const std::lock_guard lock(mutex_);
    phase_ = phase;
    done_ = done;
    total_ = total;
    return ask();
  }
  /// Asks again with the last report, at most every kAskInterval.
  bool ask_if_due() {
    if (Clock::now().time_since_epoch() - last_asked_.load() < kAskInterval) return true;
    const std::lock_guard lock(mutex_);
    return ask();
  }
  /// Enters the stage make(current stage); returns the previous one.
  template <class Make>
  ProgressStage enter(const Make& make) {
    const std::lock_guard lock(mutex_);
    ProgressStage previous = std::exchange(stage_, make(std::as_const(stage_)));
    observer_.enter(stage_);
    return previous;
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool ask() {
    const bool go_on = observer_.update(phase_, done_, total_);
    last_asked_ = Clock::now().time_since_epoch();
    return go_on;
  }

  ProgressObserver& observer_;
  std::mutex mutex_;  // guards what follows, and the observer
  std::string phase_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
  ProgressStage stage_;
  std::atomic<Clock::duration> last_asked_ = Clock::now().time_since_epoch();
};

Context::Context(const ContextOptions& options)
    : pool_(std::make_shared<ThreadPool>(options.threads)),
      reporter_(options.progress != nullptr ? std::make_shared<Reporter>(*options.progress)
                                            : nullptr),
      seed_(options.seed),
      comm_(&Communicator::self()) {}

int Context::num_threads() const { return is_serial_ ? 1 : pool_->num_threads(); }

Context Context::with_seed(std::uint64_t seed) const {
  Context other = *this;
  other.seed_ = seed;
  return other;
}

Context Context::with_observer(ProgressObserver* progress) const {
  Context other = *this;
  other.reporter_ = progress != nullptr ? std::make_shared<Reporter>(*progress) : nullptr;
  return other;
}

Context Context::widen(int num_threads) const {
  return num_threads > this->num_threads() ? with_threads(num_threads) : *this;
}

Context Context::with_threads(int num_threads) const {
  Context other = *this;
  other.pool_ = std::make_shared<ThreadPool>(num_threads);
  other.is_serial_ = false;
  return other;
}

Context Context::on_one_thread() const {
  Context other = *this;
  other.is_serial_ = true;
  return other;
}

Context Context::shared_by(const Communicator& comm) const {
  // Ranks that share a host's cores take one each.
  Context other = comm.has_others() ? on_one_thread() : *this;
  other.comm_ = &comm;
  return other;
}

void Context::run(std::size_t count, const Tasks& task,
                  const std::function<bool(std::size_t)>& on_progress) const {
  if (is_serial_) return pool_->run_serially(count, task, on_progress);
  pool_->run(count, task, on_progress);
}

void Context::for_each_task(std::string_view phase, std::size_t count,
                            const std::function<void(std::size_t)>& task) const {
  report(phase, 0, count);
  std::function<bool(std::size_t)> on_progress;
  if (reporter_) {
    on_progress = [&](std::size_t done) { return reporter_->update(phase, done, count); };
  }
  run(
      count,
      [&](std::size_t number) {
        poll();
        task(number);
      },
      on_progress);
}

void Context::for_each_range(std::size_t count, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) const {
  const std::size_t num_pieces = (count + grain - 1) / grain;
  std::function<bool(std::size_t)> on_progress;
  if (reporter_) {
    on_progress = [this](std::size_t) { return reporter_->ask_if_due(); };
  }
  run(
      num_pieces,
      [&](std::size_t piece) {
        poll();
        const std::size_t begin = piece * grain;
        body(begin, std::min(count, begin + grain));
      },
      on_progress);
}

void Context::report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
  if (ThreadPool::stop_requested()) throw Cancelled();
  if (pool_->owns_this_thread()) return;
  if (reporter_ && !reporter_->update(phase, done, total)) throw Cancelled();
}

void Context::poll() const {
  if (ThreadPool::stop_requested()) throw Cancelled();
  if (!reporter_ || pool_->owns_this_thread()) return;
  if (!reporter_->ask_if_due()) throw Cancelled();
}

StageScope::StageScope(const Context& context, std::string_view label, double begin, double end)
    : reporter_(context.pool_->owns_this_thread() ? nullptr : context.reporter_) {
  if (!reporter_) return;
  previous_ = reporter_->enter([&](const ProgressStage& outer) -> ProgressStage {
    const double length = outer.end - outer.begin;
    return {.label = outer.label + (outer.label.empty() ? "" : ", ") + std::string(label),
            .begin = outer.begin + begin * length,
            .end = outer.begin + end * length};
  });
}

StageScope::~StageScope() {
  if (!reporter_) return;
  try {
    reporter_->enter([&](const ProgressStage&) { return std::move(previous_); });
  } catch (...) {
    // A destructor must not throw; the observer is asked again soon.
  }
}

}  // namespace cone

#include "exec/context.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace cone {
namespace {

/// How often a computation asks whether to go on. A person feels no delay up to about twice this.
constexpr std::chrono::milliseconds kAskInterval(50);

}  // namespace

void Context::for_each_task(std::string_view phase, std::size_t count,
                            const std::function<void(std::size_t)>& task) const {
  report(phase, 0, count);
  std::function<bool(std::size_t)> on_progress;
  if (progress_ != nullptr) {
    on_progress = [&](std::size_t done) {
      phase_ = phase;
      done_ = done;
      total_ = count;
      return ask();
    };
  }
  pool_.run(
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
  if (progress_ != nullptr) {
    on_progress = [this](std::size_t) { return !is_time_to_ask() || ask(); };
  }
  pool_.run(
      num_pieces,
      [&](std::size_t piece) {
        poll();
        const std::size_t begin = piece * grain;
        body(begin, std::min(count, begin + grain));
      },
      on_progress);
}

void Context::report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
  if (pool_.owns_this_thread()) return poll();
  phase_ = phase;
  done_ = done;
  total_ = total;
  if (!ask()) throw Cancelled();
}

void Context::poll() const {
  if (ThreadPool::told_to_stop()) throw Cancelled();
  if (progress_ == nullptr || pool_.owns_this_thread()) return;
  if (is_time_to_ask() && !ask()) throw Cancelled();
}

bool Context::ask() const {
  if (progress_ == nullptr) return true;
  const bool go_on = progress_->update(phase_, done_, total_);
  last_asked_ = Clock::now();
  return go_on;
}

bool Context::is_time_to_ask() const { return Clock::now() - last_asked_ >= kAskInterval; }

void Context::enter(ProgressStage stage) const {
  stage_ = std::move(stage);
  if (progress_ != nullptr) progress_->enter(stage_);
}

StageScope::StageScope(const Context& context, std::string_view label, double begin, double end)
    : context_(context), previous_(context.stage_) {
  const double length = previous_.end - previous_.begin;
  context_.enter(
      {.label = previous_.label + (previous_.label.empty() ? "" : ", ") + std::string(label),
       .begin = previous_.begin + begin * length,
       .end = previous_.begin + end * length});
}

StageScope::~StageScope() {
  try {
    context_.enter(std::move(previous_));
  } catch (...) {
    // Leaving a stage must not fail; an observer that has a complaint is asked again soon.
  }
}

}  // namespace cone

#include "cone/exec/context.hpp"

#include <algorithm>

#include "cone/base/error.hpp"

namespace cone {

void Context::for_each_task(std::string_view phase, std::size_t count,
                            const std::function<void(std::size_t)>& task) const {
  std::function<bool(std::size_t)> on_progress;
  if (progress_ != nullptr) {
    report(phase, 0, count);
    on_progress = [&](std::size_t done) { return progress_->update(phase, done, count); };
  }
  pool_.run(count, task, on_progress);
}

void Context::for_each_range(std::size_t count, std::size_t grain,
                             const std::function<void(std::size_t, std::size_t)>& body) const {
  const std::size_t num_pieces = (count + grain - 1) / grain;
  std::function<bool(std::size_t)> keep_going;
  if (progress_ != nullptr && !last_report_.phase.empty()) {
    keep_going = [this](std::size_t) {
      return progress_->update(last_report_.phase, last_report_.done, last_report_.total);
    };
  }
  const auto task = [&](std::size_t piece) {
    const std::size_t begin = piece * grain;
    body(begin, std::min(count, begin + grain));
  };
  pool_.run(num_pieces, task, keep_going);
}

void Context::report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
  if (progress_ == nullptr) return;
  last_report_ = {std::string(phase), done, total};
  if (!progress_->update(phase, done, total)) throw Cancelled();
}

}  // namespace cone

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
  pool_.run(num_pieces, [&](std::size_t piece) {
    const std::size_t begin = piece * grain;
    body(begin, std::min(count, begin + grain));
  });
}

void Context::report(std::string_view phase, std::uint64_t done, std::uint64_t total) const {
  if (progress_ != nullptr && !progress_->update(phase, done, total)) throw Cancelled();
}

}  // namespace cone

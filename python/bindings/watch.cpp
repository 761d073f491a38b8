#include "watch.hpp"

#include <string>

#include <fmt/format.h>

namespace cone::python {

bool PythonObserver::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  constexpr std::chrono::milliseconds kPause(30);
  if (failure_) return false;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < kPause) return true;
  last_look_ = now;
  const py::gil_scoped_acquire lock;
  try {
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!progress_.is_none()) progress_.attr("update")(std::string(phase), done, total);
  } catch (const py::error_already_set&) {
    failure_ = std::current_exception();
    return false;
  }
  return true;
}

void PythonObserver::enter(const ProgressStage& stage) {
  if (failure_ || progress_.is_none()) return;
  const py::gil_scoped_acquire lock;
  try {
    progress_.attr("enter")(stage.label, stage.begin, stage.end);
  } catch (const py::error_already_set&) {
    failure_ = std::current_exception();  // update() stops the run
  }
}

void check_threads(int threads) {
  constexpr int kMost = 4096;  // as the command line
  if (threads >= 0 && threads <= kMost) return;
  throw Error(ErrorCode::kUsage, {{.item = "threads"},
                                  fmt::format("is {}, must be between 0 and {}", threads, kMost),
                                  "0 is one per core"});
}

}  // namespace cone::python

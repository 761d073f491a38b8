#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <string_view>

#include <pybind11/pybind11.h>

#include "cone/context.hpp"
#include "cone/error.hpp"

namespace cone::python {

namespace py = pybind11;

/// Reports progress to a Python object and checks for Ctrl-C. An exception of either stops the run
/// and is rethrown by run_watched(). Takes the interpreter's lock for that, and so acts a few dozen
/// times a second at most.
class PythonObserver : public ProgressObserver {
 public:
  /// `progress`: has update(phase, done, total) and enter(label, begin, end), or is None.
  explicit PythonObserver(py::object progress) : progress_(std::move(progress)) {}

  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  /// With the lock.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  py::object progress_;
  std::exception_ptr failure_;
  std::chrono::steady_clock::time_point last_look_{};
};

/// Settings of every computing function.
struct RunSettings {
  std::uint64_t seed = 0;
  int threads = 0;
  py::object progress = py::none();
};

/// Throws Error(kUsage) for an invalid number of threads.
void check_threads(int threads);

/// work(context) without the interpreter's lock, so that other Python threads keep running.
template <class Work>
auto run_watched(const RunSettings& run, Work&& work) {
  check_threads(run.threads);
  PythonObserver observer(run.progress);
  const auto unlocked = [&] {
    const py::gil_scoped_release release;
    const Context context({.seed = run.seed, .threads = run.threads, .progress = &observer});
    return work(context);
  };
  try {
    auto result = unlocked();
    observer
        .rethrow();  // evaluate() returns what was finished: here the exception takes precedence
    return result;
  } catch (const Cancelled&) {
    observer.rethrow();
    throw;
  }
}

}  // namespace cone::python

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"

namespace cone::distributed {

/// Time, memory and traffic of this rank by phase.
class PhaseMeter {
 public:
  struct Phase {
    std::string name;
    double seconds = 0;
    /// Peak memory during the phase; where the system does not let a process reset it, up to the
    /// end of the phase.
    std::uint64_t peak_bytes = 0;
    Communicator::Traffic traffic;
  };

  explicit PhaseMeter(const Communicator& comm);

  /// Ends the phase that began when the previous one ended, or with the meter. A phase of the same
  /// name as one before adds to it.
  void finish(std::string name);
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  const Communicator& comm_;
  Stopwatch watch_;
  Communicator::Traffic before_;
  std::vector<Phase> phases_;
};

/// Passes everything on, and makes every outermost stage of a run a phase of the meter.
class MeteredProgress : public ProgressObserver {
 public:
  MeteredProgress(ProgressObserver& next, PhaseMeter& meter) : next_(next), meter_(meter) {}
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override {
    return next_.update(phase, done, total);
  }
  void enter(const ProgressStage& stage) override;

 private:
  ProgressObserver& next_;
  PhaseMeter& meter_;
  std::string stage_;  ///< the outermost one; empty outside of any
};

}  // namespace cone::distributed

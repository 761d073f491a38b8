#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cone/communicator.hpp"

#include "base/stopwatch.hpp"

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

  /// Ends the phase that began when the previous one ended, or with the meter.
  void finish(std::string name);
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  const Communicator& comm_;
  Stopwatch watch_;
  Communicator::Traffic before_;
  std::vector<Phase> phases_;
};

}  // namespace cone::distributed

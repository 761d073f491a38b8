#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/stopwatch.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// What the phases of a run took of this rank: time, memory and messages.
class PhaseMeter {
 public:
  struct Phase {
    std::string name;
    double seconds = 0;
    /// Most memory that the process had during the phase; where the system does not let a process
    /// reset its mark, during the phase and all before it.
    std::uint64_t peak_bytes = 0;
    Ranks::Traffic traffic;
  };

  explicit PhaseMeter(const Ranks& ranks);

  /// Ends the phase that began with the one before it, or with the meter.
  void finish(std::string name);
  const std::vector<Phase>& phases() const { return phases_; }

 private:
  const Ranks& ranks_;
  Stopwatch watch_;
  Ranks::Traffic before_;
  std::vector<Phase> phases_;
};

}  // namespace cone::distributed

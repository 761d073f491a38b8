#pragma once

#include <cstdint>

#include "distributed/partition.hpp"
#include "distributed/phase_meter.hpp"

namespace cone::distributed {

/// Resources that a run used on this rank.
struct EngineReport {
  PhaseMeter meter;
  PartitionReport partition;
  std::uint64_t num_ghosts = 0;  ///< neighbours that other ranks own
};

}  // namespace cone::distributed

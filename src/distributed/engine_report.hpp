#pragma once

#include <cstdint>

#include "distributed/partition.hpp"
#include "distributed/phase_meter.hpp"

namespace cone::distributed {

/// What a run needed of this rank.
struct EngineReport {
  PhaseMeter meter;
  PartitionReport partition;
  std::uint64_t num_ghosts = 0;  ///< nodes of other ranks that own ones are connected to
};

}  // namespace cone::distributed

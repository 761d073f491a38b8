#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"

#include "distributed/phase_meter.hpp"

namespace cone::distributed {

/// Resources that a run used on this rank.
struct EngineReport {
  PhaseMeter meter;
  std::uint64_t num_ghosts = 0;  ///< neighbours that other ranks own
};

/// Distributes what the root has read over the ranks (assign_rows()): `whole`, nullptr on the
/// others. `report` gets the resources that this rank used. `comm` must outlive the result.
/// Collective.
EvaluationInput distribute_input(const Communicator& comm, const EvaluationInput* whole,
                                 EngineReport& report);

/// Reads a dataset's folder and policies, each rank its part (read_data.hpp): the rank that reads a
/// node's line owns the node. Most data checks are skipped, with a warning. `report` gets the
/// resources that this rank used. `comm` must outlive the result. Throws the same CollectiveError
/// on all ranks. Collective.
EvaluationInput load_on_ranks(const Context& context, const Communicator& comm,
                              const std::filesystem::path& folder, const LoadOptions& table,
                              std::span<const std::string> policies, EngineReport& report);

}  // namespace cone::distributed

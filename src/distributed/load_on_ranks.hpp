#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cone/context.hpp"
#include "cone/load.hpp"

#include "distributed/build_dataset.hpp"
#include "distributed/engine_report.hpp"
#include "distributed/partition.hpp"

namespace cone::distributed {

/// Reads a dataset's folder and policies, each rank its part (read_data.hpp), and distributes the
/// nodes over the ranks. Most data checks are skipped, with a warning. `report` gets the resources
/// that this rank used; `partitioner` may be null. `comm` must outlive the result. Throws the same
/// CollectiveError on all ranks. Collective.
EvaluationInput load_on_ranks(const Context& context, const Communicator& comm,
                              const std::filesystem::path& folder, const LoadOptions& table,
                              std::span<const std::string> policies, Partition partition,
                              const Partitioner* partitioner, EngineReport& report);

}  // namespace cone::distributed

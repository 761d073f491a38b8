#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cone/communicator.hpp"
#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"
#include "cone/record.hpp"

#include "distributed/engine_report.hpp"

namespace cone::distributed {

/// Evaluates policies with the data distributed over ranks. The record has the values, standard
/// errors, intervals, comparisons and verdicts of evaluate() in one process; most data checks are
/// skipped, with a warning. All ranks return the same record; `report` has the resources that this
/// rank used; `partitioner` may be null. Throws Error for options that are not supported.
EvaluationRecord evaluate_on_ranks(const Context& context, const Communicator& comm,
                                   const std::filesystem::path& folder, const LoadOptions& table,
                                   std::span<const std::string> policies,
                                   const EvaluateOptions& options, Partition partition,
                                   const Partitioner* partitioner, EngineReport& report);

}  // namespace cone::distributed

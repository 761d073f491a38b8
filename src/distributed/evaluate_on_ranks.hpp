#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"
#include "cone/record.hpp"

#include "distributed/engine_report.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Evaluates policies by the network ridge with the data spread over ranks. The record has the
/// values, errors, intervals, comparisons and verdicts that evaluate() finds on one machine; likely
/// mistakes in the data are not looked for, and a warning says so. All ranks return the same
/// record; `report` is what each of them needed. Throws Error for options that it does not know.
EvaluationRecord evaluate_on_ranks(const Context& context, const Ranks& ranks,
                                   const std::filesystem::path& folder, const LoadOptions& table,
                                   std::span<const std::string> policies,
                                   const EvaluateOptions& options, Partition partition,
                                   EngineReport& report);

}  // namespace cone::distributed

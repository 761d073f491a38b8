#pragma once

#include <string>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"

namespace cone::distributed {

/// Whether the estimator runs on ranks: all but those with neural networks, kernel balancing or
/// given nuisances.
bool is_supported(const EstimatorInfo& row);

/// The requested estimators, or the supported ones of the default list. Throws for estimators and
/// options that are not supported on ranks.
std::vector<EstimatorInfo> choose_rows(const Communicator& comm, const EvaluateOptions& options);

/// A note on the default estimators that are skipped; empty where estimators were requested.
std::string describe_skipped(const EvaluateOptions& options);

}  // namespace cone::distributed

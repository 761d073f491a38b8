#pragma once

#include <string>
#include <vector>

#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// Whether ranks know the estimator: all but those on networks, on kernels and on given models.
bool is_known(const EstimatorInfo& row);

/// The estimators that were asked for, or those of the default ones that ranks know. Throws for
/// estimators that they do not know; so do all options that one machine has and ranks have not.
std::vector<EstimatorInfo> choose_rows(const Ranks& ranks, const EvaluateOptions& options);

/// Which of the default estimators stay on one machine, in words; empty where some were asked for.
std::string describe_left_out(const EvaluateOptions& options);

}  // namespace cone::distributed

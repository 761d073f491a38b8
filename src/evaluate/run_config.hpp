#pragma once

#include <span>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"
#include "cone/policy.hpp"

namespace cone {

/// The configuration of a run: options, names of estimators and policies, and the values of options
/// that are chosen from the data.
nlohmann::ordered_json describe_config(const Context& context, const Dataset& data,
                                       const EvaluateOptions& options,
                                       std::span<const EstimatorInfo> rows,
                                       std::span<const PolicyOnData> policies);

}  // namespace cone

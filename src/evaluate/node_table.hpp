#pragma once

#include <span>

#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Nuisances, weights and influences of the decision's estimator, node by node.
NodeTable describe_nodes(const EvaluationPlan& plan, const Learnt& learnt,
                         const EstimatorOptions& options, std::span<const PolicyResult> results);

}  // namespace cone

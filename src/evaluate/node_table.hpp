#pragma once

#include <span>

#include "cone/record.hpp"

#include "evaluate/learn.hpp"

namespace cone {

/// Nuisances, weights and influences of the decision's estimator, node by node.
NodeTable describe_nodes(const EvaluationPlan& plan, const Learnt& learnt,
                         const EstimatorOptions& options, std::span<const PolicyResult> results);

/// The rows of all ranks on the root, by the numbers of the nodes in the data. Collective.
NodeTable gather_nodes(const Dataset& data, NodeTable own);

}  // namespace cone

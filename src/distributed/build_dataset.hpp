#pragma once

#include <vector>

#include "cone/communicator.hpp"
#include "cone/dataset.hpp"
#include "cone/policy.hpp"

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// What evaluate() takes.
struct EvaluationInput {
  LoadedData data;
  std::vector<PolicyOnData> policies;
};

/// Sorts this rank's nodes by arm and locates their neighbours. `comm` must outlive the result.
/// Collective.
EvaluationInput build_input(const Communicator& comm, NodeRows rows, GlobalData global);

}  // namespace cone::distributed

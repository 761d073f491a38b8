#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/evaluate.hpp"

#include "distributed/node_rows.hpp"

namespace cone::distributed {

/// Sorts this rank's nodes by arm and locates their neighbours. `comm` must outlive the result.
/// Collective.
EvaluationInput build_input(const Communicator& comm, NodeRows rows, GlobalData global);

}  // namespace cone::distributed

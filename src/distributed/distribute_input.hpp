#pragma once

#include "cone/context.hpp"

#include "distributed/build_dataset.hpp"
#include "distributed/engine_report.hpp"
#include "distributed/partition.hpp"

namespace cone::distributed {

/// Distributes what the root has read over the ranks: `whole`, nullptr on the others. `report` gets
/// the resources that this rank used; `partitioner` may be null. `comm` must outlive the result.
/// Collective.
EvaluationInput distribute_input(const Context& context, const Communicator& comm,
                                 const EvaluationInput* whole, Partition partition,
                                 const Partitioner* partitioner, EngineReport& report);

}  // namespace cone::distributed

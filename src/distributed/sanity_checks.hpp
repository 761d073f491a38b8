#pragma once

#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

#include "distributed/local_data.hpp"

namespace cone::distributed {

/// Refuses features that equal the outcome or the treatment, as in one process. `data` has this
/// rank's nodes; `shared` sums over all ranks.
void refuse_leaks(const Context& shared, const Communicator& comm, const Dataset& data,
                  const std::string& table);

/// Drops true potential outcomes that contradict the observed outcomes, with a warning.
void drop_inconsistent_truth(const Communicator& comm, LocalData& local,
                             std::vector<std::string>& warnings);

}  // namespace cone::distributed

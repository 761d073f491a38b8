#pragma once

#include "distributed/local_data.hpp"
#include "inference/clusters.hpp"

namespace cone::distributed {

/// The communities of all ranks, for sums over their members. Sums are sent to the rank that owns a
/// community (number modulo ranks), so a rank holds at most as many sums as it has members or owns
/// communities. Empty where `local` has no communities. Collective.
Clustering distribute_groups(const Communicator& comm, const LocalData& local);

}  // namespace cone::distributed

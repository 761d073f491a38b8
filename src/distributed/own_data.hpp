#pragma once

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "distributed/share.hpp"

namespace cone::distributed {

/// The nodes of a rank as learners of one machine see a dataset, without a network; nodes are
/// positions. Taken before features are scaled for the network ridge.
Dataset describe_own_nodes(const Ranks& ranks, const Share& share);

/// The same nodes as estimators see them, with sums over all ranks.
LoggedSample sample_own_nodes(const Ranks& ranks, const Share& share);

}  // namespace cone::distributed

#pragma once

#include "distributed/share.hpp"
#include "inference/clusters.hpp"

namespace cone::distributed {

/// The communities of all ranks for those who sum over members. Sums go to the rank that
/// keeps a group, by its number: a rank holds no more of them than it has members, or than its part
/// of all groups. None where the share knows none. Called by all ranks.
Clustering spread_groups(const Ranks& ranks, const Share& share);

}  // namespace cone::distributed

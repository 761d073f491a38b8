#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"

#include "base/random.hpp"

namespace cone {

/// The fold of every own node, as make_folds() assigns it in one process; -1 for nodes that are not
/// in `nodes`. For distributed data. Collective.
std::vector<int> assign_folds_on_ranks(const Dataset& data, std::span<const NodeIndex> nodes,
                                       int num_folds, std::uint64_t seed, Stream stream);

}  // namespace cone

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "base/random.hpp"

// Changes of the data under which the estimate must stay the same, or become 0.

namespace cone {

/// The arms permuted within deciles of the propensity of any arm other than the control arm. The
/// treatment still depends on the features, but not on the outcome given them: its effect is 0.
Dataset permute_treatments(const Dataset& data, MatrixView<const double> propensity, Rng& rng);

/// With one more numeric feature: standard normal draws.
Dataset add_random_feature(const Dataset& data, Rng& rng);

/// Nine tenths of the nodes, ascending.
std::vector<NodeIndex> draw_most_nodes(std::size_t num_nodes, Rng& rng);

/// The subgraph induced by some nodes (ascending), with their data.
Dataset select_nodes(const Dataset& data, std::span<const NodeIndex> nodes);

}  // namespace cone

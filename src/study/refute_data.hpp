#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "base/random.hpp"

// Data with something changed that must not change an answer, or must take it away.

namespace cone {

/// The arms permuted within tenths of the nodes, ordered by their probability of any arm but the
/// control arm. Who looks like being treated still is, by the features; what a node got no longer
/// has to do with its outcome otherwise. So the "treatment" does nothing.
Dataset permute_treatments(const Dataset& data, MatrixView<const double> propensity, Rng& rng);

/// With one more measurement: standard normal draws.
Dataset add_random_feature(const Dataset& data, Rng& rng);

/// Nine tenths of the nodes, ascending.
std::vector<NodeIndex> draw_most_nodes(std::size_t num_nodes, Rng& rng);

/// Some nodes (ascending) with the edges among them.
Dataset select_nodes(const Dataset& data, std::span<const NodeIndex> nodes);

}  // namespace cone

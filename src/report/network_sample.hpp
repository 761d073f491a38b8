#pragma once

#include <nlohmann/json.hpp>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

namespace cone {

/// Part of the network for a figure: up to 90 nodes around one with the median degree, laid out so
/// that neighbours are close to each other, in quintiles of the treatment effect (with two arms) or
/// of the probability of treatment. It has quintiles, not values, and ids only `with_ids`. Null
/// without edges.
///
/// O(nodes) to find the starting node, then independent of the size of the network.
nlohmann::ordered_json sample_network(const Dataset& data, const NodeTable& nodes, bool with_ids);

}  // namespace cone

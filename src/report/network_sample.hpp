#pragma once

#include <nlohmann/json.hpp>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

namespace cone {

/// A piece of the network for a picture: up to 90 units around one with a median number of
/// neighbours, placed so that neighbours lie near each other, in five groups of equal size by what
/// the record is about (the effect of treatment where there are two arms, else the probability of
/// treatment). It holds groups, not values, and ids only `with_ids`. Null where there are no ties.
///
/// Cost: O(nodes) to find the middle, then the same for any network.
nlohmann::ordered_json sample_network(const Dataset& data, const NodeTable& nodes, bool with_ids);

}  // namespace cone

#pragma once

#include "cone/record.hpp"

#include "distributed/share.hpp"

namespace cone::distributed {

/// The parts of a record that say what was read. All ranks find the same.
DataSummary summarise(const WholeData& whole);
/// A policy's result without estimates.
PolicyResult describe_policy(const Ranks& ranks, const Share& share, std::size_t position);
/// Self-loops, merged edges and nodes without any.
void describe_network(const Ranks& ranks, const Share& share, Diagnostics& out);

}  // namespace cone::distributed

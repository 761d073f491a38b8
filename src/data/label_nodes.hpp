#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/graph.hpp"

#include "data/gather_rows.hpp"

namespace cone {

/// One label per node.
using NodeLabels = std::vector<std::uint32_t>;
/// One key per node, of its id.
using NodeKeys = std::span<const std::uint64_t>;
/// Labels the nodes of a complete network, any number of times.
using LabelNetwork =
    std::function<std::vector<NodeLabels>(const Context&, const Graph& graph, NodeKeys keys)>;

/// The root holds the complete network of distributed data while it labels the nodes, up to this
/// many nodes and edge ends together: 4 bytes each for the network, up to 40 for communities.
inline constexpr std::uint64_t kMostLabelled = std::uint64_t{1} << 26U;

/// The complete network on the root, in the order of the data; empty on the other ranks. `all`: of
/// all nodes of every rank. Collective.
Graph gather_network(const Dataset& data, const RowsOnRoot& all);

/// Whether the network has edges, and is small enough where it is distributed.
bool can_label(const Dataset& data);

/// The labels that `label` gives the own nodes. On ranks the root gathers the network and labels
/// it, on the cores of the others, which wait. Collective.
std::vector<NodeLabels> label_nodes(const Context& context, const Dataset& data,
                                    const LabelNetwork& label);

}  // namespace cone

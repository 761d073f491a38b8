#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

#include "data/label_nodes.hpp"

namespace cone {

/// Resolutions of the communities: an unmeasured confounder may follow wide or narrow ones, and the
/// likelihood chooses among them.
inline constexpr std::array kResolutions = {0.5, 1.0, 2.0};
/// That by which errors may depend.
inline constexpr std::size_t kPlainResolution = 1;

/// The label of a node that is in no community.
inline constexpr std::uint32_t kNoCommunity = std::numeric_limits<std::uint32_t>::max();

/// The communities of the own nodes by resolution (graph/communities.hpp), numbered from 0 over all
/// ranks in the order of first appearance in the data; kNoCommunity for a node that is one by
/// itself. Empty where can_label() is false.
struct NodeCommunities {
  std::array<NodeLabels, kResolutions.size()> labels;
};

/// The search takes a few per cent of a fit: once for all that need communities. `all`: at every
/// resolution, else at kPlainResolution alone. Collective.
NodeCommunities find_node_communities(const Context& context, const Dataset& data, bool all = true);

}  // namespace cone

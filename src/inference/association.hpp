#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"

#include "inference/dependence.hpp"

namespace cone {

/// Whether values of friends go together.
struct NetworkAssociation {
  /// Moran's I with weights 1/√(d_i·d_j): the correlation of a value with its friends', about 0 for
  /// values that have nothing to do with the network.
  double moran = 0;
  /// One-sided, by permutations of the values over the nodes that have friends; by the normal
  /// distribution (0 permutations) where there are millions of ties.
  double p = 1;
  int permutations = 0;
};

/// O(edges) per permutation; as many as 1e9 products allow, 199 to 999. Nothing (p = 1) without
/// edges and for values that are all the same.
NetworkAssociation measure_association(const Context& context, const Graph& graph,
                                       std::span<const double> values, std::uint64_t seed);

}  // namespace cone

#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/totals.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// Whether values of neighbours go together.
struct NetworkAssociation {
  /// Moran's I with weights 1/√(d_i·d_j): the correlation of a value with its neighbours', about 0
  /// for values that have nothing to do with the network.
  double moran = 0;
  /// One-sided, by permutations of the values over the nodes that have neighbours; by the normal
  /// distribution (0 permutations) where there are millions of ties.
  double p = 1;
  int permutations = 0;
};

/// Products that permutations may take.
inline constexpr double kPermutationWork = 1e9;

/// `values`: one per row of the network that is here. O(edges) per permutation; as many as 1e9
/// products allow, 199 to 999. Nothing (p = 1) without edges and for values that are all the same.
///
/// Of a network that several processes have parts of: while permutations are affordable, that is up
/// to 5 million nodes and ends of ties, every process takes the whole network (some 80 MB at most
/// while it is built) and a share of the permutations, and finds what one process finds; beyond
/// that, sums over neighbours are enough.
NetworkAssociation measure_association(const Context& context, const Neighbourhood& network,
                                       std::span<const double> values, std::uint64_t seed,
                                       const Totals& totals = Totals::alone(),
                                       double permutation_work = kPermutationWork);

}  // namespace cone

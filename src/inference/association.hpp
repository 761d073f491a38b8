#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"

#include "inference/neighbourhood.hpp"

namespace cone {

/// Network autocorrelation: whether values of neighbours are correlated.
struct NetworkAssociation {
  /// Moran's I (Moran 1950, Notes on continuous stochastic phenomena) with weights 1/√(d_i·d_j):
  /// the correlation of a value with its neighbours', about 0 for values independent of the
  /// network.
  double moran = 0;
  /// One-sided, by permutations of the values over the nodes that have neighbours; by the normal
  /// approximation (0 permutations) where there are millions of edges.
  double p = 1;
  int permutations = 0;
};

/// Limit on the products that permutations compute.
inline constexpr double kPermutationWork = 1e9;

/// `values`: one per local row of the network. O(edges) per permutation; as many as 1e9 products
/// allow, 199 to 999. p = 1 without edges and for constant values.
///
/// Distributed: while permutations are affordable, that is up to 5 million nodes and edge ends,
/// every rank gathers the global network (some 80 MB at most while it is built) and computes a
/// share of the permutations, with the result of one process; beyond that, sums over neighbours
/// suffice.
NetworkAssociation measure_association(const Context& context, const Neighbourhood& network,
                                       std::span<const double> values, std::uint64_t seed,
                                       const Communicator& comm = Communicator::self(),
                                       double permutation_work = kPermutationWork);

}  // namespace cone

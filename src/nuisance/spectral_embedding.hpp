#pragma once

#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// At most this many eigenvectors: each is a column of every regression.
inline constexpr std::size_t kMostEmbeddingColumns = 32;
inline constexpr std::size_t kNodesPerColumn = 20;

/// A basis of the leading eigenspace of a network, for regressions. No treatment or outcome enters.
struct SpectralEmbedding {
  /// Nodes × columns, orthonormal, every column of mean zero; 0 for isolated nodes up to the mean.
  /// Regressions with one penalty for all columns depend on the space that they span, not on the
  /// basis.
  Matrix<double> columns;
  std::vector<double> eigenvalues;  ///< of that space, by descending magnitude
  bool converged = true;            ///< false where iterations ran out; it has what did converge
};

/// The eigenvectors of the regularised normalised adjacency matrix
///     M = D^(−1/2) A D^(−1/2),   D = degrees + τ, τ the mean degree over nodes with neighbours
/// (Qin and Rohe 2013, Regularized spectral clustering under the degree-corrected stochastic
/// blockmodel), by descending |eigenvalue|. Those of A itself follow the nodes of highest degree in
/// sparse networks.
///
/// Their number: kMostEmbeddingColumns, or one for every kNodesPerColumn nodes where these are
/// fewer, and no cut between eigenvalues that are (nearly) equal, where the space would be
/// arbitrary: then all of these are left out. It may be none. The penalty of the regressions
/// decides how much of them is used: numbers by the size of eigenvalues leave too few in thin
/// networks, where structure hardly stands out from chance.
///
/// Subspace iteration with Chebyshev filters of fixed degree (Zhou, Saad, Tiago and Chelikowsky
/// 2006, Self-consistent-field calculations using Chebyshev-filtered subspace iteration) from a
/// fixed start. Takes some hundred products of M with a block of 48 vectors; bitwise the same at
/// any number of threads, and for another order of the nodes the same up to rounding.
SpectralEmbedding embed_network(const Context& context, const Graph& graph);

}  // namespace cone

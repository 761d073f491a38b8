#pragma once

#include <vector>

#include "cone/base/sparse_matrix.hpp"

namespace cone {

/// The features as the encoders see them; values in the order of the matrix's entries.
///
/// Bags of words (no negative value, less than half of the entries there): every row is scaled to
/// the sum 100, so a word's value is its per cent of the node's text. Counts reach hundreds in long
/// texts, which then drown the short ones in their neighbourhoods. Anything else (measurements):
/// every column is scaled to the root mean square 1 over all nodes; rows of measurements in
/// different units have no meaningful sum. Zero rows and columns stay zero.
std::vector<double> scaled_features(const SparseMatrix& features);

/// The same as a matrix of its own.
SparseMatrix scaled_matrix(const SparseMatrix& features);

}  // namespace cone

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
///
/// Measured on three simulated networks of BlogCatalog's size (5,200 nodes, 2,200 words, default
/// options), R² of the validation nodes' outcomes: rows scaled to the sum 100: 0.45, 0.33, 0.28; to
/// 200: 0.37, 0.31, 0.42; to about 30: 0.2, 0.17, 0.00; log(1 + count): 0.13, 0.15, 0.01. On the
/// first one only, raw counts and scaled columns: 0.27 each.
std::vector<double> scaled_features(const SparseMatrix& features);

}  // namespace cone

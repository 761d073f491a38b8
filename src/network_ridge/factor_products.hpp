#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/word_factor.hpp"

namespace cone {

/// U'·diag(weights)·U over some rows of an arm, U = (words, factor): symmetric, both triangles. Own
/// words have few entries per row, so all of their products together take less than those of the
/// other columns with each other. `elsewhere` are the words of neighbours that other processes
/// have. O(rows · columns²) of those others.
Matrix<double> weigh_factor_products(const Context& context, const ArmEquations& equations,
                                     const WordFactor& words, const SparseMatrix& elsewhere,
                                     const Matrix<double>& factor, std::span<const double> weights,
                                     std::span<const std::uint32_t> rows);

}  // namespace cone

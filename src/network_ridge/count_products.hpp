#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// X[begin, end)'·V, count features × columns of V; V has one row for each of these positions.
Matrix<double> multiply_counts_transposed(const Context& context, const SparseMatrix& counts,
                                          std::size_t begin, std::size_t end,
                                          MatrixView<const double> v);

/// X[begin, end)·T, T: count features × columns.
Matrix<double> multiply_counts(const Context& context, const SparseMatrix& counts,
                               std::size_t begin, std::size_t end, MatrixView<const double> t);

}  // namespace cone

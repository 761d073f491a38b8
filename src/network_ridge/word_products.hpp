#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// X[begin, end)'·V, words × columns of V; V has a row for each of these positions.
Matrix<double> gather_by_words(const Context& context, const SparseMatrix& words, std::size_t begin,
                               std::size_t end, MatrixView<const double> v);

/// X[begin, end)·T, T: words × columns.
Matrix<double> spread_by_words(const Context& context, const SparseMatrix& words, std::size_t begin,
                               std::size_t end, MatrixView<const double> t);

}  // namespace cone

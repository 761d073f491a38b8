#pragma once

#include <cstddef>
#include <span>

#include <cblas.h>
#include <lapacke.h>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"

#include "exec/one_blas_thread.hpp"

namespace cone {

/// How many times faster a multiplication is in a dense kernel than in a scattered update.
inline constexpr double kDenseSpeedup = 16;

// Products of a dense matrix D that is given by its columns, each in one piece: `columns` is D',
// columns × rows. All run on the calling thread alone.

/// out = D u
void multiply_columns(MatrixView<const double> columns, std::span<const double> u,
                      std::span<double> out);
/// out = D' r
void multiply_columns_transposed(MatrixView<const double> columns, std::span<const double> r,
                                 std::span<double> out);
/// The lower triangle of D'D.
Matrix<double> column_products(const Context& context, MatrixView<const double> columns);
/// Adds the lower triangle of DD' to `gram`, rows × rows.
void add_row_products(const Context& context, MatrixView<const double> columns,
                      Matrix<double>& gram);

/// Adds the lower triangle of D'WD to `products`, W diagonal with weights ≥ 0. For a few hundred
/// rows; `scratch` has room for as many values as D has.
void add_weighted_products(MatrixView<const double> columns, std::span<const double> weights,
                           MatrixView<double> scratch, Matrix<double>& products);

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Adds up outer products of the sparse rows, or blocks of rows made dense where that is cheaper.
Matrix<double> gram_matrix(const Context& context, const SparseMatrix& m);

}  // namespace cone

#pragma once

#include <cstddef>
#include <span>

#include <cblas.h>
#include <lapacke.h>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "exec/one_blas_thread.hpp"

namespace cone {

/// How many times faster a multiplication is in a dense kernel than in a scattered update.
inline constexpr double kDenseSpeedup = 16;

// Products of a dense matrix D stored by columns: `columns` is D', columns × rows. All run on the
// calling thread.

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
/// rows; `scratch` has the shape of `columns`.
void add_weighted_products(MatrixView<const double> columns, std::span<const double> weights,
                           MatrixView<double> scratch, Matrix<double>& products);

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Sums outer products of the sparse rows, or of blocks of rows expanded to dense where cheaper.
Matrix<double> gram_matrix(const Context& context, const SparseMatrix& m);

}  // namespace cone

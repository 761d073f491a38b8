#pragma once

#include <cstddef>
#include <span>

#include <cblas.h>
#include <lapacke.h>

#include "base/matrix.hpp"
#include "base/sparse_matrix.hpp"
#include "exec/context.hpp"
#include "exec/one_blas_thread.hpp"

namespace cone {

/// How many times faster a multiplication is in a dense kernel than in a scattered update.
inline constexpr double kDenseSpeedup = 16;

/// out = D u, on this thread alone.
void multiply_dense(const Matrix<double>& d, std::span<const double> u, std::span<double> out);
/// out = D' r, on this thread alone.
void multiply_dense_transposed(const Matrix<double>& d, std::span<const double> r,
                               std::span<double> out);
/// The lower triangle of D'D.
Matrix<double> dense_gram(const Context& context, const Matrix<double>& d);
/// Adds the lower triangle of DD' to `gram`, rows × rows.
void add_row_products(const Context& context, const Matrix<double>& d, Matrix<double>& gram);

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Adds up outer products of the sparse rows, or blocks of rows made dense where that is cheaper.
Matrix<double> gram_matrix(const Context& context, const SparseMatrix& m);

}  // namespace cone

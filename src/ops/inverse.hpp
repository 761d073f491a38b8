#pragma once

#include "cone/context.hpp"
#include "cone/matrix.hpp"

// Blocked products and inverses of large symmetric matrices, like the factorisations of
// cholesky.hpp: blocks depend on sizes only, each on one thread, so results are the same at any
// number of threads; each block is a safe point of the context.

namespace cone::ops {

/// (LL')⁻¹, both triangles, from the lower triangle L. O(2n³/3), and n² numbers of working memory.
Matrix<double> invert_from_cholesky(const Context& context, MatrixView<const double> lower);

/// Adds M·M' to `out`, both triangles; M has one row per row of `out`. O(n²·columns).
void add_row_products(const Context& context, MatrixView<const double> m, Matrix<double>& out);

/// A·B. O(rows · inner · columns).
Matrix<double> multiply(const Context& context, MatrixView<const double> a,
                        MatrixView<const double> b);

/// A'·B, summed over pieces of rows in order.
Matrix<double> multiply_transposed(const Context& context, MatrixView<const double> a,
                                   MatrixView<const double> b);

}  // namespace cone::ops

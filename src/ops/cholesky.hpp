#pragma once

#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

// Factorisations of large symmetric matrices in pieces. LAPACK's own would take the better part of
// a minute for 20,000 rows in one call, which nothing can interrupt and only one core works on.
// Pieces are cut by sizes only, so results are the same at any number of threads; each is a safe
// point of the context.

namespace cone::ops {

/// Replaces the lower triangle of a symmetric positive definite matrix, n × n, by its Cholesky
/// factor L; what is above the diagonal is left alone. False where rounding leaves the matrix
/// without one. O(n³/3).
bool factorise_cholesky(const Context& context, MatrixView<double> lower);

/// The same with pivoting, for a positive semi-definite matrix: row i of the factor is row pivot[i]
/// of the matrix. Ends where no pivot exceeds `tolerance` and returns how many did; the rows beyond
/// hold the part of the factor left of them.
std::size_t factorise_pivoted(const Context& context, MatrixView<double> lower, double tolerance,
                              std::vector<std::size_t>& pivot);

/// The sum of squares of every column of L⁻¹: the diagonal of (LL')⁻¹. O(n³/3) time, and a strip of
/// columns of L⁻¹ per thread at a time.
std::vector<double> inverse_column_squares(const Context& context, MatrixView<const double> lower);

}  // namespace cone::ops

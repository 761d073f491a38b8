#pragma once

#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

// Blocked factorisations of large symmetric matrices. LAPACK's would take the better part of a
// minute for 20,000 rows in one call, which cannot be interrupted and uses one core. Blocks depend
// on sizes only, so results are the same at any number of threads; each is a safe point of the
// context.

namespace cone::ops {

/// Replaces the lower triangle of a symmetric positive definite matrix, n × n, by its Cholesky
/// factor L; the upper triangle is not touched. False where the matrix is not positive definite in
/// double precision. O(n³/3).
bool factorise_cholesky(const Context& context, MatrixView<double> lower);

/// The same with pivoting, for a positive semi-definite matrix: row i of the factor is row pivot[i]
/// of the matrix. Ends where no pivot exceeds `tolerance` and returns their number r; rows r.. hold
/// their first r columns of the factor.
std::size_t factorise_pivoted(const Context& context, MatrixView<double> lower, double tolerance,
                              std::vector<std::size_t>& pivot);

/// The sum of squares of every column of L⁻¹: the diagonal of (LL')⁻¹. O(n³/3) time, and memory for
/// a strip of columns of L⁻¹ per thread.
std::vector<double> inverse_column_squares(const Context& context, MatrixView<const double> lower);

}  // namespace cone::ops

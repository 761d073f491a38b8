#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Replaces the lower triangle of a symmetric positive definite matrix by its Cholesky factor; the
/// upper triangle is not touched. Throws Error(kData) where the matrix is not positive definite in
/// double precision.
void factorise(const Context& context, Matrix<double>& matrix);

/// M⁻¹·b in place, from the factor of M.
void solve_with_factor(const Matrix<double>& factor, std::span<double> b);

/// The diagonal of M⁻¹.
std::vector<double> inverse_diagonal(const Context& context, const Matrix<double>& factor);

}  // namespace cone

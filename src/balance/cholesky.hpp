#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The lower Cholesky factor of the symmetric positive definite matrix whose lower triangle is
/// given, in its place; what is above the diagonal is left alone. Throws Error(kData) where
/// rounding leaves the matrix without one.
void factorise(const Context& context, Matrix<double>& matrix);

/// M⁻¹·b in place, from the factor of M.
void solve_with_factor(const Matrix<double>& factor, std::span<double> b);

/// The diagonal of M⁻¹.
std::vector<double> inverse_diagonal(const Context& context, const Matrix<double>& factor);

}  // namespace cone

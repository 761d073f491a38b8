#pragma once

#include "cone/matrix.hpp"

namespace cone::testing {

/// a·b by the obvious loops: the reference for optimised kernels. Compiled with full optimisation,
/// which tests are not.
Matrix<double> plain_product(const Matrix<double>& a, const Matrix<double>& b);

Matrix<double> transposed(const Matrix<double>& a);

/// a·a'.
Matrix<double> plain_gram(const Matrix<double>& a);

}  // namespace cone::testing

#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "cone/matrix.hpp"

namespace cone {

/// A symmetric positive definite system of a handful of unknowns.
class SmallSystem {
 public:
  explicit SmallSystem(std::size_t size) : matrix(size, size) {}

  Matrix<double> matrix;  ///< to be filled in; the Cholesky factor after factorise()

  /// False where the matrix is not positive definite.
  bool factorise() {
    for (std::size_t j = 0; j < matrix.rows(); ++j) {
      for (std::size_t i = j; i < matrix.rows(); ++i) {
        double value = matrix(i, j);
        for (std::size_t k = 0; k < j; ++k) value -= matrix(i, k) * matrix(j, k);
        if (i == j) {
          if (!(value > 0)) return false;
          matrix(j, j) = std::sqrt(value);
        } else {
          matrix(i, j) = value / matrix(j, j);
        }
      }
    }
    return true;
  }

  /// M⁻¹·b in place.
  void solve(std::span<double> b) const {
    const std::size_t n = matrix.rows();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < i; ++k) b[i] -= matrix(i, k) * b[k];
      b[i] /= matrix(i, i);
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) b[i] -= matrix(k, i) * b[k];
      b[i] /= matrix(i, i);
    }
  }

  double log_determinant() const {
    double total = 0;
    for (std::size_t i = 0; i < matrix.rows(); ++i) total += 2 * std::log(matrix(i, i));
    return total;
  }
};

/// L⁻ᵀL⁻¹·b in place.
inline void solve_lower(const Matrix<double>& factor, std::span<double> b) {
  const std::size_t n = factor.rows();
  for (std::size_t i = 0; i < n; ++i) {
    double value = b[i];
    const double* row = factor.row(i).data();
    for (std::size_t k = 0; k < i; ++k) value -= row[k] * b[k];
    b[i] = value / row[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    b[i] /= factor(i, i);
    const double* row = factor.row(i).data();
    for (std::size_t k = 0; k < i; ++k) b[k] -= row[k] * b[i];
  }
}

}  // namespace cone

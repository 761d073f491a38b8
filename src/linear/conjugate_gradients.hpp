#pragma once

#include <span>

#include "cone/context.hpp"

#include "linear/centred_matrix.hpp"

namespace cone {

/// X_c or its transpose, as the A of min ||b − Au||².
struct CentredOperator {
  const CentredMatrix& matrix;
  bool transposed;

  std::size_t rows() const { return transposed ? matrix.cols() : matrix.rows(); }
  std::size_t cols() const { return transposed ? matrix.rows() : matrix.cols(); }
  void multiply(std::span<const double> u, std::span<double> out) const {
    transposed ? matrix.multiply_transposed(u, out) : matrix.multiply(u, out);
  }
  void multiply_transposed(std::span<const double> r, std::span<double> out) const {
    transposed ? matrix.multiply(r, out) : matrix.multiply_transposed(r, out);
  }
  /// ||b||² for one number per row of A, and ||u||² for one per column: rows of X may be
  /// distributed over several ranks, columns never are.
  double squared_norm_of_rows(std::span<const double> b) const;
  double squared_norm_of_columns(std::span<const double> u) const;
};

/// Minimises ||b − Au||² + damping·||u||² by conjugate gradients on the normal equations (CGLS;
/// Hestenes and Stiefel 1952, "Methods of conjugate gradients for solving linear systems"),
/// starting from the u passed in; from zero it converges to the minimum-norm solution. Stops when
/// the norm of the gradient is below `tolerance` times that at zero; returns whether it converged.
/// O(entries) per iteration, each a safe point of the context.
bool minimise_squares(const Context& context, const CentredOperator& a, std::span<const double> b,
                      double damping, double tolerance, std::size_t max_iterations,
                      std::span<double> u);

}  // namespace cone

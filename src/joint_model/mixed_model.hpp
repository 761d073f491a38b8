#pragma once

#include <functional>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The equations of a mixed model whose covariance V is known by its products only:
///
///   V·x + B·λ = f,   B'x = 0
///
/// λ are the coefficients of the fixed effects B by generalised least squares, x = Pf with
/// P = V⁻¹ − V⁻¹B(B'V⁻¹B)⁻¹B'V⁻¹.
struct MixedModel {
  std::function<Matrix<double>(const Matrix<double>&)> multiply;  ///< V·X
  std::vector<double> diagonal;  ///< about that of V: the preconditioner
  Matrix<double> fixed;          ///< B, linearly independent columns
};

struct MixedSolution {
  Matrix<double> x;
  Matrix<double> lambda;  ///< fixed effects × columns
  bool converged = true;
  std::size_t iterations = 0;
};

/// Projected conjugate gradients (Gould, Hribar and Nocedal 2001, "On the solution of equality
/// constrained quadratic programming problems arising in optimization") with a diagonal
/// preconditioner, one column of `f` per right-hand side. `tolerance`: relative error in the norm
/// of the preconditioner. `start`: a solution of nearby equations with the same fixed effects, or
/// nullptr. Results are the same at any number of threads. On several ranks each has some rows of
/// V, B and f, and all call it: sums are over the ranks of the context.
MixedSolution solve_mixed_model(const Context& context, const MixedModel& model,
                                const Matrix<double>& f, double tolerance,
                                const Matrix<double>* start = nullptr);

}  // namespace cone

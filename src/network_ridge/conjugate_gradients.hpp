#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/preconditioner.hpp"

namespace cone {

/// Stopping rule.
struct IterationLimits {
  double tolerance;             ///< relative error in the norm of the equations
  std::size_t most_iterations;  ///< of all columns together
};

/// Projected preconditioned conjugate gradients (Hestenes and Stiefel 1952, "Methods of conjugate
/// gradients for solving linear systems"; with constraints: Gould, Hribar and Nocedal 2001, "On the
/// solution of equality constrained quadratic programming problems arising in optimization").
/// Adds the solution for the residual `left` of the right-hand sides to `at`. A column has
/// converged when r'M⁻¹r is at most its `goal`; an empty `goal` is set, for which `at` must be
/// zero. Columns that have converged already stay as they are. `at.converged`: whether all columns
/// have.
void improve_solution(const Context& context, const ArmEquations& equations,
                      const RidgePreconditioner& preconditioner, const IterationLimits& limits,
                      const RidgeSides& sides, RidgeSides left, std::span<const std::size_t> tasks,
                      std::vector<double>& goal, RidgeSolution& at);

}  // namespace cone

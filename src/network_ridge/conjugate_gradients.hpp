#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/preconditioner.hpp"

namespace cone {

/// When a column is done.
struct IterationLimits {
  double tolerance;             ///< relative size of the error, in the norm of the equations
  std::size_t most_iterations;  ///< of all columns together
};

/// Adds the solution for what is left of the sides to `at`. `goal`, one number per column, is what
/// r'M⁻¹r must come down to; an empty one is set, for which `at` must be zero. Columns that are
/// there already stay as they are. `at.converged` says whether all columns are.
void improve_solution(const Context& context, const ArmEquations& equations,
                      const RidgePreconditioner& preconditioner, const IterationLimits& limits,
                      const RidgeSides& sides, RidgeSides left, std::span<const std::size_t> tasks,
                      std::vector<double>& goal, RidgeSolution& at);

}  // namespace cone

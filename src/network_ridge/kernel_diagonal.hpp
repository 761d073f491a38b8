#pragma once

#include <vector>

#include "cone/context.hpp"

#include "network_ridge/arm_equations.hpp"

namespace cone {

/// The diagonal of an arm's kernel, one number per position of the arm, in two parts.
struct KernelDiagonal {
  /// Groups with at least as many effects as the arm has positions: a flat spectrum, which the
  /// diagonal approximates well.
  std::vector<double> spread;
  /// All other groups: a few directions dominate, which the diagonal cannot represent.
  std::vector<double> narrow;
};

/// With the given variances instead of the arm's. O(positions).
KernelDiagonal find_kernel_diagonal(const ArmEquations& equations, const GroupStrengths& strengths);

}  // namespace cone

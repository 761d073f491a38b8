#pragma once

#include <vector>

#include "cone/context.hpp"

#include "network_ridge/arm_equations.hpp"

namespace cone {

/// The diagonal of an arm's kernel, one number per position of the arm, in two parts.
struct KernelDiagonal {
  /// Groups with at least as many effects as the arm has positions. What positions have in common
  /// by them is spread over as many directions, so the diagonal says most of it.
  std::vector<double> spread;
  /// All others: a few directions hold most of it, and the diagonal would say little.
  std::vector<double> narrow;
};

/// With the given strengths instead of the arm's. O(positions), and O(edges · words per node) where
/// sums or means of words or columns are among them.
KernelDiagonal find_kernel_diagonal(const Context& context, const ArmEquations& equations,
                                    const GroupStrengths& strengths);

}  // namespace cone

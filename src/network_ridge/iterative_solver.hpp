#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/preconditioner.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Conjugate gradients on x with B'x = g, all columns and arms in one pass over features and
/// network. Memory: a few tables of places × columns beside the data. Results are the same at any
/// number of threads.
class IterativeSolver : public RidgeSolver {
 public:
  /// Relative size of the error, in the norm of the equations, at which a column is done.
  static constexpr double kTolerance = 3e-8;
  static constexpr std::size_t kMostIterations = 2000;

  IterativeSolver(const Context& context, const RidgeSystem& system);

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

 private:
  RidgeSolution solve_block(const Context& context, RidgeSides sides,
                            std::span<const std::size_t> tasks) const;
  /// x'Cx, one number per arm and column; r is what is left of the sides.
  Matrix<double> measure_solution(const Context& context, const RidgeSides& sides,
                                  const Matrix<double>& r, const RidgeSolution& at) const;
  /// Adds the solution for what is left of the sides. The goal, one number per arm and column, is
  /// what r'M⁻¹r must come down to; an empty one is set. Whether it was reached.
  bool improve(const Context& context, const RidgeSides& sides, RidgeSides left,
               std::span<const std::size_t> tasks, Matrix<double>& goal, RidgeSolution& at) const;

  const RidgeSystem& system_;
  RidgePreconditioner preconditioner_;
};

}  // namespace cone

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
  static constexpr double kTolerance = 1e-7;
  static constexpr std::size_t kMostIterations = 2000;

  IterativeSolver(const Context& context, const RidgeSystem& system);

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

 private:
  RidgeSolution solve_block(const Context& context, const Matrix<double>& f,
                            const Matrix<double>& g, std::span<const std::size_t> tasks) const;
  /// C·x: kernels and noise, masked.
  Matrix<double> multiply(const Context& context, std::span<const std::size_t> tasks,
                          const Matrix<double>& x) const;

  const RidgeSystem& system_;
  std::vector<double> noise_;
  RidgePreconditioner preconditioner_;
};

}  // namespace cone

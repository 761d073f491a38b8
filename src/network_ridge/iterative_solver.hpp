#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/arm_equations.hpp"
#include "network_ridge/conjugate_gradients.hpp"
#include "network_ridge/preconditioner.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Preconditioned conjugate gradients on x subject to B'x = g, arm by arm, many columns in one pass
/// over the arm's part of features and network; converged columns are dropped. Memory: a few tables
/// of positions × columns beside the data, and the preconditioner. Results are the same at any
/// number of threads. With several ranks solve() is collective, each rank having the rows of
/// its positions, with the same tasks and the same g.
class IterativeSolver : public RidgeSolver {
 public:
  /// Relative error, in the norm of the equations, at which a column has converged.
  static constexpr double kTolerance = 3e-8;
  static constexpr std::size_t kMostIterations = 2000;

  /// Some arms of a system, which must outlive it; the rows of the others stay zero.
  IterativeSolver(const Context& context, const RidgeSystem& system,
                  std::span<const std::size_t> arms,
                  IterationLimits limits = {kTolerance, kMostIterations});

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

 private:
  struct SolvedArm {
    SolvedArm(const Context& context, const RidgeSystem& system, std::size_t arm,
              GhostCounts& ghosts);

    ArmEquations equations;
    RidgePreconditioner preconditioner;
  };

  RidgeSolution solve_block(const Context& context, const SolvedArm& arm, RidgeSides sides,
                            std::span<const std::size_t> tasks) const;

  const RidgeSystem& system_;
  IterationLimits limits_;
  std::vector<std::unique_ptr<SolvedArm>> arms_;
};

}  // namespace cone

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distributed/dense_arms.hpp"
#include "distributed/rank_preconditioner.hpp"
#include "distributed/rank_system.hpp"

namespace cone::distributed {

/// Solves the equations: small arms exactly, large ones by conjugate gradients. Every pass over the
/// network and every message carries all columns of a block and all arms.
class RankSolver {
 public:
  /// Relative size of a column's error, in the norm of the equations.
  static constexpr double kTolerance = 1e-10;
  static constexpr std::size_t kMostIterations = 2000;

  RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense);

  /// x: places × columns, lambda: (arms · fixed effects) × columns.
  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const;

 private:
  RidgeSolution solve_block(const Context& context, RidgeSides sides,
                            std::span<const std::size_t> tasks) const;
  /// Adds the solution of what is left of the sides for large arms; the number of iterations.
  std::size_t improve_large(const Context& context, RidgeSides left,
                            std::span<const std::size_t> tasks, bool is_first,
                            RidgeSolution& at) const;
  RidgeSides find_residual(const Context& context, RidgeSides sides,
                           std::span<const std::size_t> tasks, const RidgeSolution& at) const;
  /// √(f'M⁻¹f) of every arm and column: the units in which columns are alike.
  Matrix<double> measure_columns(const Context& context, std::span<const std::size_t> tasks,
                                 const RidgeSides& sides) const;

  const RankSystem& system_;
  const DenseArms& dense_;
  std::optional<RankPreconditioner> preconditioner_;  ///< where there are large arms
};

}  // namespace cone::distributed

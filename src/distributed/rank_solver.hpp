#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "distributed/dense_arms.hpp"
#include "distributed/rank_source.hpp"
#include "network_ridge/iterative_solver.hpp"

namespace cone::distributed {

/// Solves the equations: small arms by the dense solver on one rank each, large arms by all ranks
/// with the iterative solver of one process.
class RankSolver {
 public:
  RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense);

  /// x: positions × columns, lambda: (arms · fixed effects) × columns.
  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const;

 private:
  /// Sets the rows of dense arms.
  void solve_dense(const Context& context, const RidgeSides& sides,
                   std::span<const std::size_t> tasks, RidgeSolution& at) const;
  /// The residuals of the right-hand sides of dense arms; zero for the others.
  RidgeSides find_residual_sides(const Context& context, const RidgeSides& sides,
                                 std::span<const std::size_t> tasks, const RidgeSolution& at) const;

  const RankSystem& system_;
  const DenseArms& dense_;
  std::shared_ptr<const RankSource> source_;
  std::vector<std::unique_ptr<ArmEquations>> dense_equations_;  ///< by arm; null for large arms
  std::optional<IterativeSolver> iterative_;  ///< for large arms, where there are any
};

}  // namespace cone::distributed

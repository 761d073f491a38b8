#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "distributed/dense_arms.hpp"
#include "distributed/rank_source.hpp"
#include "network_ridge/iterative_solver.hpp"

namespace cone::distributed {

/// Solves the equations: small arms exactly by one rank each, large ones by all ranks together with
/// the iterative solver of one machine.
class RankSolver {
 public:
  RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense);

  /// x: positions × columns, lambda: (arms · fixed effects) × columns.
  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const;

 private:
  /// Sets the rows of small arms.
  void solve_small(const Context& context, const RidgeSides& sides,
                   std::span<const std::size_t> tasks, RidgeSolution& at) const;
  /// What the solution leaves of the sides of small arms; zero for the others.
  RidgeSides find_left(const Context& context, const RidgeSides& sides,
                       std::span<const std::size_t> tasks, const RidgeSolution& at) const;

  const RankSystem& system_;
  const DenseArms& dense_;
  std::shared_ptr<const RankSource> source_;
  std::vector<std::unique_ptr<ArmEquations>> small_;  ///< by arm; none for large ones
  std::optional<IterativeSolver> large_;              ///< where there are large arms
};

}  // namespace cone::distributed

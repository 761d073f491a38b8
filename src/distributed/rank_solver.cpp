#include "distributed/rank_solver.hpp"

#include <algorithm>
#include <utility>

namespace cone::distributed {
namespace {

/// Rows [first, first + rows) of a table.
Matrix<double> take_rows(const Matrix<double>& table, std::size_t first, std::size_t rows) {
  auto out = Matrix<double>::unfilled(rows, table.cols());
  std::copy_n(table.data() + first * table.cols(), rows * table.cols(), out.data());
  return out;
}

void put_rows(const Matrix<double>& part, std::size_t first, Matrix<double>& table) {
  std::ranges::copy(part.values(), table.data() + first * table.cols());
}

}  // namespace

RankSolver::RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense)
    : system_(system),
      dense_(dense),
      source_(std::make_shared<RankSource>(system)),
      dense_equations_(system.arms.size()) {
  std::vector<std::size_t> large;
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    if (dense.has(a)) {
      dense_equations_[a] = std::make_unique<ArmEquations>(context, *source_, a);
    } else {
      large.push_back(a);
    }
  }
  if (!large.empty()) iterative_.emplace(context, source_, large);
  source_->release_ghost_counts();
}

RidgeSides RankSolver::find_residual_sides(const Context& context, const RidgeSides& sides,
                                           std::span<const std::size_t> tasks,
                                           const RidgeSolution& at) const {
  RidgeSides out{Matrix<double>(sides.f.rows(), sides.f.cols()),
                 Matrix<double>(sides.g.rows(), sides.g.cols())};
  for (std::size_t a = 0; a < dense_equations_.size(); ++a) {
    if (!dense_equations_[a]) continue;
    const ArmEquations& equations = *dense_equations_[a];
    const std::size_t first = equations.first_position();
    const std::size_t count = equations.num_positions();
    RidgeSolution of_arm;
    of_arm.x = take_rows(at.x, first, count);
    of_arm.lambda = take_rows(at.lambda, a * kFixed, kFixed);
    const RidgeSides residual = equations.find_residual(
        context, {take_rows(sides.f, first, count), take_rows(sides.g, a * kFixed, kFixed)}, tasks,
        of_arm);
    put_rows(residual.f, first, out.f);
    put_rows(residual.g, a * kFixed, out.g);
  }
  return out;
}

void RankSolver::solve_dense(const Context& context, const RidgeSides& sides,
                             std::span<const std::size_t> tasks, RidgeSolution& at) const {
  dense_.solve(context, system_, sides, tasks, at);
  // One step of iterative refinement, as in one process: explicit inverses lose digits.
  dense_.solve(context, system_, find_residual_sides(context, sides, tasks, at), tasks, at);
}

RidgeSolution RankSolver::solve(const Context& context, const Matrix<double>& f,
                                const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  RidgeSolution out;
  if (iterative_) {
    out = iterative_->solve(context, f, g, tasks);
  } else {
    out.x = Matrix<double>(f.rows(), f.cols());
    out.lambda = Matrix<double>(g.rows(), g.cols());
  }
  if (!dense_.has_any()) return out;
  RidgeSides sides{f, g};
  for (std::size_t p = 0; p < f.rows(); ++p) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!system_.learns(p, tasks[k])) sides.f(p, k) = 0;
    }
  }
  solve_dense(context, sides, tasks, out);
  return out;
}

}  // namespace cone::distributed

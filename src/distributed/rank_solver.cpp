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
      small_(system.arms.size()) {
  std::vector<std::size_t> large;
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    if (dense.has(a)) {
      small_[a] = std::make_unique<ArmEquations>(context, *source_, a);
    } else {
      large.push_back(a);
    }
  }
  if (!large.empty()) large_.emplace(context, source_, large);
  source_->forget_words_elsewhere();
}

RidgeSides RankSolver::find_left(const Context& context, const RidgeSides& sides,
                                 std::span<const std::size_t> tasks,
                                 const RidgeSolution& at) const {
  RidgeSides out{Matrix<double>(sides.f.rows(), sides.f.cols()),
                 Matrix<double>(sides.g.rows(), sides.g.cols())};
  for (std::size_t a = 0; a < small_.size(); ++a) {
    if (!small_[a]) continue;
    const ArmEquations& equations = *small_[a];
    const std::size_t first = equations.first_position();
    const std::size_t count = equations.num_positions();
    RidgeSolution of_arm;
    of_arm.x = take_rows(at.x, first, count);
    of_arm.lambda = take_rows(at.lambda, a * kFixed, kFixed);
    const RidgeSides left = equations.find_residual(
        context, {take_rows(sides.f, first, count), take_rows(sides.g, a * kFixed, kFixed)}, tasks,
        of_arm);
    put_rows(left.f, first, out.f);
    put_rows(left.g, a * kFixed, out.g);
  }
  return out;
}

void RankSolver::solve_small(const Context& context, const RidgeSides& sides,
                             std::span<const std::size_t> tasks, RidgeSolution& at) const {
  dense_.solve(context, system_, sides, tasks, at);
  // Inverses lose digits, as on one machine: what is truly left is solved once more.
  dense_.solve(context, system_, find_left(context, sides, tasks, at), tasks, at);
}

RidgeSolution RankSolver::solve(const Context& context, const Matrix<double>& f,
                                const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  RidgeSolution out;
  if (large_) {
    out = large_->solve(context, f, g, tasks);
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
  solve_small(context, sides, tasks, out);
  return out;
}

}  // namespace cone::distributed

#include "distributed/rank_solver.hpp"

#include <algorithm>
#include <cmath>

namespace cone::distributed {
namespace {

/// Columns that are solved together.
constexpr std::size_t kColumnsAtATime = 32;

/// Of the preconditioner's factor. An arm that is worth iterating for has thousands of nodes.
constexpr std::size_t kFactorRank = 256;

/// Σ of products over the nodes of an arm, one number per arm and column, over all ranks.
Matrix<double> multiply_columns(const RankSystem& system, const Matrix<double>& a,
                                const Matrix<double>& b) {
  const Share& share = system.share;
  Matrix<double> out(share.num_arms(), a.cols());
  for (std::size_t arm = 0; arm < share.num_arms(); ++arm) {
    const std::span<double> sums = out.row(arm);
    for (std::size_t p = share.arm_begin[arm]; p < share.arm_begin[arm + 1]; ++p) {
      for (std::size_t k = 0; k < a.cols(); ++k) sums[k] += a(p, k) * b(p, k);
    }
  }
  system.ranks.add_up(out.values());
  return out;
}

/// Conjugate gradients on all columns and arms of a block in lock step, each with lengths of its
/// own, on x with B'x = 0. PETSc's would see one long vector: it cannot take fixed effects out of
/// the residual, and one length for all columns takes several times as many iterations.
class Descent {
 public:
  Descent(const Context& context, const RankSystem& system,
          const RankPreconditioner& preconditioner, std::span<const std::size_t> tasks,
          Matrix<double> residual, RidgeSolution& at)
      : context_(context),
        system_(system),
        preconditioner_(preconditioner),
        tasks_(tasks),
        r_(std::move(residual)),
        at_(at),
        z_(project()),
        direction_(z_),
        left_(multiply_columns(system, r_, z_)) {}

  /// Whether every r'M⁻¹r is down to the goal.
  bool is_down_to(double goal) const {
    return std::ranges::all_of(left_.values(), [&](double size) { return size <= goal; });
  }

  /// One step of the columns that are not there yet.
  void step(double goal) {
    const Matrix<double> product = multiply_equations(context_, system_, tasks_, direction_);
    Matrix<double> length = multiply_columns(system_, direction_, product);
    for (std::size_t k = 0; k < length.values().size(); ++k) {
      double& value = length.values()[k];
      value = left_.values()[k] > goal && value > 0 ? left_.values()[k] / value : 0.0;
    }
    for_each_entry(length, [&](std::size_t p, std::size_t k, double factor) {
      at_.x(p, k) += factor * direction_(p, k);
      r_(p, k) -= factor * product(p, k);
    });
    z_ = project();
    const Matrix<double> next = multiply_columns(system_, r_, z_);
    for (std::size_t k = 0; k < next.values().size(); ++k) {
      const double before = left_.values()[k];
      length.values()[k] = before > goal ? next.values()[k] / before : 0.0;
    }
    left_ = next;
    for_each_entry(length, [&](std::size_t p, std::size_t k, double factor) {
      direction_(p, k) = z_(p, k) + factor * direction_(p, k);
    });
  }

 private:
  template <class Update>
  void for_each_entry(const Matrix<double>& factor, const Update& update) const {
    const Share& share = system_.share;
    for (std::size_t arm = 0; arm < share.num_arms(); ++arm) {
      for (std::size_t p = share.arm_begin[arm]; p < share.arm_begin[arm + 1]; ++p) {
        for (std::size_t k = 0; k < factor.cols(); ++k) update(p, k, factor(arm, k));
      }
    }
  }

  /// M⁻¹r with B'M⁻¹r = 0. What fixed effects explain of the residual goes to λ at once: left
  /// there, it would grow and take the digits of the rest.
  Matrix<double> project() {
    const Share& share = system_.share;
    Matrix<double> v;
    Matrix<double> z = preconditioner_.project(context_, tasks_, r_, nullptr, v);
    for (std::size_t p = 0; p < share.size(); ++p) {
      const std::size_t arm = share.arm_of(p);
      for (std::size_t c = 0; c < kFixed; ++c) {
        const double effect = system_.fixed_effect(p, c);
        for (std::size_t k = 0; k < tasks_.size(); ++k) {
          if (system_.learns(p, tasks_[k])) r_(p, k) -= effect * v(arm * kFixed + c, k);
        }
      }
    }
    for (std::size_t k = 0; k < v.values().size(); ++k) at_.lambda.values()[k] += v.values()[k];
    return z;
  }

  const Context& context_;
  const RankSystem& system_;
  const RankPreconditioner& preconditioner_;
  std::span<const std::size_t> tasks_;
  Matrix<double> r_;
  RidgeSolution& at_;
  Matrix<double> z_, direction_;
  Matrix<double> left_;  ///< r'M⁻¹r, arms × columns
};

/// Divides or multiplies rows by the size of their arm and column.
void scale_rows(const Share& share, const Matrix<double>& sizes, bool divides,
                Matrix<double>& table) {
  for (std::size_t p = 0; p < table.rows(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < table.cols(); ++k) {
      table(p, k) = divides ? table(p, k) / sizes(arm, k) : table(p, k) * sizes(arm, k);
    }
  }
}

void scale_fixed(const Matrix<double>& sizes, bool divides, Matrix<double>& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t k = 0; k < table.cols(); ++k) {
      const double size = sizes(row / kFixed, k);
      table(row, k) = divides ? table(row, k) / size : table(row, k) * size;
    }
  }
}

/// The arm asks for nothing.
void clear_arm(const Share& share, std::size_t arm, RidgeSides& sides) {
  const std::size_t width = sides.f.cols();
  std::fill_n(sides.f.data() + share.arm_begin[arm] * width,
              (share.arm_begin[arm + 1] - share.arm_begin[arm]) * width, 0.0);
  std::fill_n(sides.g.data() + arm * kFixed * width, kFixed * width, 0.0);
}

Matrix<double> take_columns(const Matrix<double>& table, std::size_t first, std::size_t count) {
  Matrix<double> part(table.rows(), count);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::copy_n(table.row(i).begin() + static_cast<std::ptrdiff_t>(first), count,
                part.row(i).begin());
  }
  return part;
}

}  // namespace

RankSolver::RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense)
    : system_(system), dense_(dense) {
  if (!dense.has_all()) preconditioner_.emplace(context, system, kFactorRank);
}

RidgeSides RankSolver::find_residual(const Context& context, RidgeSides sides,
                                     std::span<const std::size_t> tasks,
                                     const RidgeSolution& at) const {
  const Share& share = system_.share;
  const Matrix<double> product = multiply_equations(context, system_, tasks, at.x);
  Matrix<double> met(sides.g.rows(), sides.g.cols());
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!system_.learns(p, tasks[k])) continue;
      sides.f(p, k) -= product(p, k);
      for (std::size_t c = 0; c < kFixed; ++c) {
        const double effect = system_.fixed_effect(p, c);
        sides.f(p, k) -= effect * at.lambda(arm * kFixed + c, k);
        met(arm * kFixed + c, k) += effect * at.x(p, k);
      }
    }
  }
  system_.ranks.add_up(met.values());
  for (std::size_t k = 0; k < met.values().size(); ++k) sides.g.values()[k] -= met.values()[k];
  return sides;
}

Matrix<double> RankSolver::measure_columns(const Context& context,
                                           std::span<const std::size_t> tasks,
                                           const RidgeSides& sides) const {
  const Share& share = system_.share;
  if (!preconditioner_) return Matrix<double>(share.num_arms(), tasks.size(), 1.0);
  Matrix<double> v;
  const Matrix<double> z = preconditioner_->project(context, tasks, sides.f, &sides.g, v);
  Matrix<double> sizes(share.num_arms(), tasks.size());
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      double left = sides.f(p, k);
      for (std::size_t c = 0; c < kFixed; ++c) {
        left -= system_.fixed_effect(p, c) * v(arm * kFixed + c, k);
      }
      if (system_.learns(p, tasks[k])) sizes(arm, k) += left * z(p, k);
    }
  }
  system_.ranks.add_up(sizes.values());
  for (double& size : sizes.values()) size = size > 0 ? std::sqrt(size) : 1;
  return sizes;
}

std::size_t RankSolver::improve_large(const Context& context, RidgeSides left,
                                      std::span<const std::size_t> tasks, bool is_first,
                                      RidgeSolution& at) const {
  constexpr double kGoal = kTolerance * kTolerance;
  constexpr double kAcceptedGoal =
      100 * kGoal;  // what rounding makes of a solution is not improved
  constexpr std::size_t kExpectedIterations = 300;
  const Share& share = system_.share;
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    if (dense_.has(a)) clear_arm(share, a, left);
  }
  // Start where B'x = g, and where the preconditioner thinks the solution is.
  RidgeSolution step;
  step.x = preconditioner_->project(context, tasks, left.f, &left.g, step.lambda);
  RidgeSides behind = find_residual(context, left, tasks, step);
  Descent descent(context, system_, *preconditioner_, tasks, std::move(behind.f), step);
  std::size_t iterations = 0;
  const double start_goal = is_first ? kGoal : kAcceptedGoal;
  if (!descent.is_down_to(start_goal)) {
    while (!descent.is_down_to(kGoal) && iterations < kMostIterations) {
      context.report("solving the equations", iterations, kExpectedIterations);
      descent.step(kGoal);
      ++iterations;
    }
  }
  at.converged = descent.is_down_to(start_goal);
  for (std::size_t k = 0; k < at.x.values().size(); ++k) at.x.values()[k] += step.x.values()[k];
  for (std::size_t k = 0; k < at.lambda.values().size(); ++k) {
    at.lambda.values()[k] += step.lambda.values()[k];
  }
  return iterations;
}

RidgeSolution RankSolver::solve_block(const Context& context, RidgeSides sides,
                                      std::span<const std::size_t> tasks) const {
  // A start finds λ for the x of the one before it, and takes off what rounding added.
  constexpr std::size_t kFewestStarts = 2;
  constexpr std::size_t kMostStarts = 4;
  const Share& share = system_.share;
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!system_.learns(p, tasks[k])) sides.f(p, k) = 0;
    }
  }
  const Matrix<double> sizes = measure_columns(context, tasks, sides);
  scale_rows(share, sizes, /*divides=*/true, sides.f);
  scale_fixed(sizes, /*divides=*/true, sides.g);
  RidgeSolution out;
  out.x = Matrix<double>(share.size(), tasks.size());
  out.lambda = Matrix<double>(sides.g.rows(), tasks.size());
  for (std::size_t start = 0; start < kMostStarts; ++start) {
    const RidgeSides left = start == 0 ? sides : find_residual(context, sides, tasks, out);
    dense_.solve(context, system_, left, tasks, out);
    const std::size_t iterations =
        dense_.has_all() ? 0 : improve_large(context, left, tasks, start == 0, out);
    out.iterations += iterations;
    const bool is_done = iterations == 0 && start + 1 >= kFewestStarts;
    if (is_done || !out.converged) break;
  }
  scale_rows(share, sizes, /*divides=*/false, out.x);
  scale_fixed(sizes, /*divides=*/false, out.lambda);
  return out;
}

RidgeSolution RankSolver::solve(const Context& context, const Matrix<double>& f,
                                const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  RidgeSolution out;
  out.x = Matrix<double>(f.rows(), f.cols());
  out.lambda = Matrix<double>(g.rows(), g.cols());
  for (std::size_t first = 0; first < tasks.size(); first += kColumnsAtATime) {
    const std::size_t count = std::min(kColumnsAtATime, tasks.size() - first);
    const RidgeSolution part =
        solve_block(context, {take_columns(f, first, count), take_columns(g, first, count)},
                    tasks.subspan(first, count));
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < f.rows(); ++i) out.x(i, first + k) = part.x(i, k);
      for (std::size_t i = 0; i < g.rows(); ++i) out.lambda(i, first + k) = part.lambda(i, k);
    }
    out.iterations += part.iterations;
    out.converged = out.converged && part.converged;
  }
  return out;
}

}  // namespace cone::distributed

#include "network_ridge/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cone {
namespace {

constexpr std::size_t kIteratedPositions = 4096;

/// The dot product of every column of a with that of b, over the positions of all ranks.
std::vector<double> multiply_columns(const Context& context, const Communicator& comm,
                                     const Matrix<double>& a, const Matrix<double>& b) {
  const auto parts = context.map_ranges<std::vector<double>>(
      a.rows(), kIteratedPositions, [&](std::size_t begin, std::size_t end) {
        std::vector<double> sums(a.cols(), 0.0);
        for (std::size_t p = begin; p < end; ++p) {
          for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += a(p, k) * b(p, k);
        }
        return sums;
      });
  std::vector<double> out(a.cols(), 0.0);
  for (const std::vector<double>& part : parts) {
    for (std::size_t k = 0; k < part.size(); ++k) out[k] += part[k];
  }
  comm.allreduce(out);
  return out;
}

/// to = keep·to + take·from, factors by column.
void combine(const Context& context, std::span<const double> keep, std::span<const double> take,
             const Matrix<double>& from, Matrix<double>& to) {
  context.for_each_range(to.rows(), kIteratedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t k = 0; k < to.cols(); ++k) {
        to(p, k) = keep[k] * to(p, k) + take[k] * from(p, k);
      }
    }
  });
}

/// r'N⁻¹r of a residual r that is the rounding error of f: no iteration can go below it.
std::vector<double> measure_rounding(const Context& context, const ArmEquations& equations,
                                     const Matrix<double>& f) {
  constexpr double kRounding = 1e-14;
  Matrix<double> weighted = f;
  for (std::size_t p = 0; p < f.rows(); ++p) {
    const double factor = kRounding * kRounding / equations.noise(p);
    for (double& value : weighted.row(p)) value *= factor;
  }
  return multiply_columns(context, equations.comm(), f, weighted);
}

Matrix<double> keep_columns(const Context& context, const Matrix<double>& table,
                            std::span<const std::size_t> kept) {
  auto out = Matrix<double>::unfilled(table.rows(), kept.size());
  context.for_each_range(table.rows(), kIteratedPositions, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t k = 0; k < kept.size(); ++k) out(p, k) = table(p, kept[k]);
    }
  });
  return out;
}

/// The columns that have not converged yet, and the state of their iteration.
struct ActiveColumns {
  std::vector<std::size_t> column;  ///< index in the block
  std::vector<std::size_t> tasks;
  Matrix<double> x;               ///< correction of the solution
  Matrix<double> lambda;          ///< correction of its multipliers
  Matrix<double> r;               ///< residual
  Matrix<double> p;               ///< search direction
  std::vector<double> rz;         ///< r'M⁻¹r
  std::vector<char> is_refined;   ///< the goal has been set from x'Cx
  std::vector<char> has_stalled;  ///< rounding has made the curvature non-positive

  std::size_t size() const { return column.size(); }

  void keep(const Context& context, std::span<const std::size_t> kept) {
    const auto choose = [&](auto& list) {
      for (std::size_t k = 0; k < kept.size(); ++k) list[k] = list[kept[k]];
      list.resize(kept.size());
    };
    choose(column);
    choose(tasks);
    choose(rz);
    choose(is_refined);
    choose(has_stalled);
    for (Matrix<double>* table : {&x, &lambda, &r, &p})
      *table = keep_columns(context, *table, kept);
  }
};

/// The iteration of one block of columns.
class Iteration {
 public:
  Iteration(const Context& context, const ArmEquations& equations,
            const RidgePreconditioner& preconditioner, const IterationLimits& limits,
            const RidgeSides& sides, std::vector<double>& goal, RidgeSolution& at)
      : context_(context),
        equations_(equations),
        preconditioner_(preconditioner),
        limits_(limits),
        sides_(sides),
        goal_(goal),
        at_(at) {}

  void run(RidgeSides left, std::span<const std::size_t> tasks) {
    at_.converged = true;
    if (!begin(std::move(left), tasks)) return;
    first_norms_ = norms_ = std::vector<double>(tasks.size(), 0.0);
    for (std::size_t k = 0; k < active_.size(); ++k) first_norms_[k] = active_.rz[k];
    retire_columns();
    while (active_.size() > 0 && at_.iterations < limits_.most_iterations) {
      context_.report("iterating", measure_progress(), kPercent);
      step();
      ++at_.iterations;
      retire_columns();
    }
    if (active_.size() == 0) return;
    at_.converged = false;
    for (std::size_t k = 0; k < active_.size(); ++k) add_to_solution(k);
  }

 private:
  static constexpr std::uint64_t kPercent = 100;

  std::vector<double> multiply_columns(const Matrix<double>& a, const Matrix<double>& b) const {
    return cone::multiply_columns(context_, equations_.comm(), a, b);
  }

  /// False where all columns have converged already.
  bool begin(RidgeSides left, std::span<const std::size_t> tasks) {
    const std::size_t width = tasks.size();
    const bool is_first = goal_.empty();
    active_.tasks.assign(tasks.begin(), tasks.end());
    for (std::size_t k = 0; k < width; ++k) active_.column.push_back(k);
    active_.lambda = Matrix<double>(left.g.rows(), width);
    active_.r = std::move(left.f);
    active_.is_refined.assign(width, is_first ? 0 : 1);
    active_.has_stalled.assign(width, 0);
    // Start from the preconditioner's solution, which satisfies B'x = g.
    active_.x = preconditioner_.project(context_, tasks, &left.g, active_.r, active_.lambda);
    const std::vector<double> size = multiply_columns(active_.r, active_.x);
    if (is_first) {
      // Relative to the size of that solution, x'Mx. The first residual would not do: it may be ten
      // thousand times larger where the preconditioner is a poor approximation.
      rounding_ = measure_rounding(context_, equations_, sides_.f);
      for (std::size_t k = 0; k < width; ++k) {
        goal_.push_back(std::max(limits_.tolerance * limits_.tolerance * size[k], rounding_[k]) +
                        1e-300);
      }
    } else if (std::equal(size.begin(), size.end(), goal_.begin(), std::less_equal<>())) {
      return false;
    }
    const std::vector<double> ones(width, 1.0);
    const std::vector<double> minus(width, -1.0);
    combine(context_, ones, minus, equations_.multiply(context_, active_.tasks, active_.x),
            active_.r);
    active_.p =
        preconditioner_.project(context_, active_.tasks, nullptr, active_.r, active_.lambda);
    active_.rz = multiply_columns(active_.r, active_.p);
    return true;
  }

  void step() {
    const std::size_t width = active_.size();
    const Matrix<double> product = equations_.multiply(context_, active_.tasks, active_.p);
    const std::vector<double> curvature = multiply_columns(active_.p, product);
    const std::vector<double> ones(width, 1.0);
    std::vector<double> alpha(width, 0.0);
    std::vector<double> minus_alpha(width, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
      active_.has_stalled[k] = curvature[k] > 0 ? 0 : 1;
      if (active_.has_stalled[k] == 0) alpha[k] = active_.rz[k] / curvature[k];
      minus_alpha[k] = -alpha[k];
    }
    combine(context_, ones, alpha, active_.p, active_.x);
    combine(context_, ones, minus_alpha, product, active_.r);
    const Matrix<double> z =
        preconditioner_.project(context_, active_.tasks, nullptr, active_.r, active_.lambda);
    const std::vector<double> next = multiply_columns(active_.r, z);
    std::vector<double> beta(width);
    for (std::size_t k = 0; k < width; ++k) beta[k] = next[k] / active_.rz[k];
    combine(context_, beta, ones, z, active_.p);
    active_.rz = next;
  }

  /// Lowers the goal of converged columns from x'Mx to x'Cx, the norm that matters, which is known
  /// near the solution only. x'Mx is larger where M understates the kernel.
  void refine_goals() {
    // x'Cx = x'(f − r) − g'λ, as B'x = g.
    const std::vector<double> with_residual = multiply_columns(active_.x, active_.r);
    const Matrix<double> f = keep_columns(context_, sides_.f, active_.column);
    const std::vector<double> with_sides = multiply_columns(active_.x, f);
    for (std::size_t k = 0; k < active_.size(); ++k) {
      const std::size_t column = active_.column[k];
      if (active_.is_refined[k] != 0 || !has_converged(k)) continue;
      double size = with_sides[k] - with_residual[k];
      for (std::size_t c = 0; c < active_.lambda.rows(); ++c) {
        size -= sides_.g(c, column) * active_.lambda(c, k);
      }
      const double wanted = limits_.tolerance * limits_.tolerance * size;
      goal_[column] = std::min(goal_[column], std::max(wanted, rounding_[column]) + 1e-300);
      active_.is_refined[k] = 1;
    }
  }

  bool has_converged(std::size_t k) const { return active_.rz[k] <= goal_[active_.column[k]]; }

  /// Removes the columns that have converged or stalled.
  void retire_columns() {
    for (std::size_t k = 0; k < active_.size(); ++k) {
      norms_[active_.column[k]] = active_.rz[k];
    }
    bool any_new = false;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      any_new = any_new || (has_converged(k) && active_.is_refined[k] == 0);
    }
    if (any_new) refine_goals();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < active_.size(); ++k) {
      if (!has_converged(k) && active_.has_stalled[k] == 0) {
        kept.push_back(k);
        continue;
      }
      add_to_solution(k);
      at_.converged = at_.converged && has_converged(k);
    }
    if (kept.size() < active_.size()) active_.keep(context_, kept);
  }

  void add_to_solution(std::size_t k) {
    const std::size_t column = active_.column[k];
    for (std::size_t p = 0; p < active_.x.rows(); ++p) at_.x(p, column) += active_.x(p, k);
    for (std::size_t c = 0; c < active_.lambda.rows(); ++c) {
      at_.lambda(c, column) += active_.lambda(c, k);
    }
  }

  /// Progress of the slowest column, in per cent: errors fall by about the same factor in every
  /// iteration.
  std::uint64_t measure_progress() const {
    double least = 1;
    for (const std::size_t k : active_.column) {
      const double whole = std::log(first_norms_[k] / goal_[k]);
      const double done = std::log(first_norms_[k] / norms_[k]);
      if (whole > 0) least = std::min(least, done / whole);
    }
    return static_cast<std::uint64_t>(std::clamp(least, 0.0, 1.0) * kPercent);
  }

  const Context& context_;
  const ArmEquations& equations_;
  const RidgePreconditioner& preconditioner_;
  const IterationLimits& limits_;
  const RidgeSides& sides_;
  std::vector<double>& goal_;
  RidgeSolution& at_;
  ActiveColumns active_;
  std::vector<double> rounding_;
  std::vector<double> first_norms_;  ///< r'M⁻¹r at the start, by column of the block
  std::vector<double> norms_;        ///< the same now
};

}  // namespace

void improve_solution(const Context& context, const ArmEquations& equations,
                      const RidgePreconditioner& preconditioner, const IterationLimits& limits,
                      const RidgeSides& sides, RidgeSides left, std::span<const std::size_t> tasks,
                      std::vector<double>& goal, RidgeSolution& at) {
  Iteration(context, equations, preconditioner, limits, sides, goal, at)
      .run(std::move(left), tasks);
}

}  // namespace cone

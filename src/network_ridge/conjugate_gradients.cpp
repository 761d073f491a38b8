#include "network_ridge/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cone {
namespace {

constexpr std::size_t kIteratedPositions = 4096;

/// Σ over positions of all processes of a·b, for every column.
std::vector<double> multiply_columns(const Context& context, const Totals& totals,
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
  totals.allreduce(out);
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

/// r'N⁻¹r of an r that is rounding of f and no more.
std::vector<double> measure_rounding(const Context& context, const ArmEquations& equations,
                                     const Matrix<double>& f) {
  constexpr double kRounding = 1e-14;
  Matrix<double> weighted = f;
  for (std::size_t p = 0; p < f.rows(); ++p) {
    const double factor = kRounding * kRounding / equations.noise(p);
    for (double& value : weighted.row(p)) value *= factor;
  }
  return multiply_columns(context, equations.totals(), f, weighted);
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

/// The columns that are not done yet, and where they are.
struct OpenColumns {
  std::vector<std::size_t> column;  ///< of the block
  std::vector<std::size_t> tasks;
  Matrix<double> x;       ///< what is added to the solution
  Matrix<double> lambda;  ///< the same
  Matrix<double> r;       ///< what is left of the sides
  Matrix<double> p;       ///< direction
  std::vector<double> rz;
  std::vector<char> is_tight;
  std::vector<char> is_stuck;

  std::size_t size() const { return column.size(); }

  void keep(const Context& context, std::span<const std::size_t> kept) {
    const auto choose = [&](auto& list) {
      for (std::size_t k = 0; k < kept.size(); ++k) list[k] = list[kept[k]];
      list.resize(kept.size());
    };
    choose(column);
    choose(tasks);
    choose(rz);
    choose(is_tight);
    choose(is_stuck);
    for (Matrix<double>* table : {&x, &lambda, &r, &p})
      *table = keep_columns(context, *table, kept);
  }
};

/// One block of columns on the way to its solution.
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
    first_sizes_ = now_ = std::vector<double>(tasks.size(), 0.0);
    for (std::size_t k = 0; k < open_.size(); ++k) first_sizes_[k] = open_.rz[k];
    release();
    while (open_.size() > 0 && at_.iterations < limits_.most_iterations) {
      context_.report("iterating", measure_progress(), kWhole);
      step();
      ++at_.iterations;
      release();
    }
    if (open_.size() == 0) return;
    at_.converged = false;
    for (std::size_t k = 0; k < open_.size(); ++k) add_to_solution(k);
  }

 private:
  static constexpr std::uint64_t kWhole = 100;

  std::vector<double> multiply_columns(const Matrix<double>& a, const Matrix<double>& b) const {
    return cone::multiply_columns(context_, equations_.totals(), a, b);
  }

  /// False where nothing is to be done.
  bool begin(RidgeSides left, std::span<const std::size_t> tasks) {
    const std::size_t width = tasks.size();
    const bool is_first = goal_.empty();
    open_.tasks.assign(tasks.begin(), tasks.end());
    for (std::size_t k = 0; k < width; ++k) open_.column.push_back(k);
    open_.lambda = Matrix<double>(left.g.rows(), width);
    open_.r = std::move(left.f);
    open_.is_tight.assign(width, is_first ? 0 : 1);
    open_.is_stuck.assign(width, 0);
    // Start where B'x = g, and where the preconditioner thinks the solution is.
    open_.x = preconditioner_.project(context_, tasks, &left.g, open_.r, open_.lambda);
    const std::vector<double> size = multiply_columns(open_.r, open_.x);
    if (is_first) {
      // The size of that solution, x'Mx. The first residual would not do: it may be ten thousand
      // times larger where the preconditioner describes little.
      floor_ = measure_rounding(context_, equations_, sides_.f);
      for (std::size_t k = 0; k < width; ++k) {
        goal_.push_back(std::max(limits_.tolerance * limits_.tolerance * size[k], floor_[k]) +
                        1e-300);
      }
    } else if (std::equal(size.begin(), size.end(), goal_.begin(), std::less_equal<>())) {
      return false;
    }
    const std::vector<double> ones(width, 1.0);
    const std::vector<double> minus(width, -1.0);
    combine(context_, ones, minus, equations_.multiply(context_, open_.tasks, open_.x), open_.r);
    open_.p = preconditioner_.project(context_, open_.tasks, nullptr, open_.r, open_.lambda);
    open_.rz = multiply_columns(open_.r, open_.p);
    return true;
  }

  void step() {
    const std::size_t width = open_.size();
    const Matrix<double> product = equations_.multiply(context_, open_.tasks, open_.p);
    const std::vector<double> curvature = multiply_columns(open_.p, product);
    const std::vector<double> ones(width, 1.0);
    std::vector<double> forth(width, 0.0);
    std::vector<double> back(width, 0.0);
    for (std::size_t k = 0; k < width; ++k) {
      open_.is_stuck[k] = curvature[k] > 0 ? 0 : 1;
      if (open_.is_stuck[k] == 0) forth[k] = open_.rz[k] / curvature[k];
      back[k] = -forth[k];
    }
    combine(context_, ones, forth, open_.p, open_.x);
    combine(context_, ones, back, product, open_.r);
    const Matrix<double> z =
        preconditioner_.project(context_, open_.tasks, nullptr, open_.r, open_.lambda);
    const std::vector<double> next = multiply_columns(open_.r, z);
    std::vector<double> keep(width);
    for (std::size_t k = 0; k < width; ++k) keep[k] = next[k] / open_.rz[k];
    combine(context_, keep, ones, z, open_.p);
    open_.rz = next;
  }

  /// Where the preconditioner sees less than the kernel, x'Mx is larger than the size that counts,
  /// x'Cx, which is known near the solution only.
  void tighten() {
    // x'Cx = x'(f − r) − g'λ, as B'x = g.
    const std::vector<double> with_left = multiply_columns(open_.x, open_.r);
    const Matrix<double> f = keep_columns(context_, sides_.f, open_.column);
    const std::vector<double> with_sides = multiply_columns(open_.x, f);
    for (std::size_t k = 0; k < open_.size(); ++k) {
      const std::size_t column = open_.column[k];
      if (open_.is_tight[k] != 0 || !is_there(k)) continue;
      double size = with_sides[k] - with_left[k];
      for (std::size_t c = 0; c < open_.lambda.rows(); ++c) {
        size -= sides_.g(c, column) * open_.lambda(c, k);
      }
      const double wanted = limits_.tolerance * limits_.tolerance * size;
      goal_[column] = std::min(goal_[column], std::max(wanted, floor_[column]) + 1e-300);
      open_.is_tight[k] = 1;
    }
  }

  bool is_there(std::size_t k) const { return open_.rz[k] <= goal_[open_.column[k]]; }

  /// Columns that are done, or that rounding keeps from going on, leave.
  void release() {
    for (std::size_t k = 0; k < open_.size(); ++k) {
      now_[open_.column[k]] = open_.rz[k];
    }
    bool any_new = false;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      any_new = any_new || (is_there(k) && open_.is_tight[k] == 0);
    }
    if (any_new) tighten();
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < open_.size(); ++k) {
      if (!is_there(k) && open_.is_stuck[k] == 0) {
        kept.push_back(k);
        continue;
      }
      add_to_solution(k);
      at_.converged = at_.converged && is_there(k);
    }
    if (kept.size() < open_.size()) open_.keep(context_, kept);
  }

  void add_to_solution(std::size_t k) {
    const std::size_t column = open_.column[k];
    for (std::size_t p = 0; p < open_.x.rows(); ++p) at_.x(p, column) += open_.x(p, k);
    for (std::size_t c = 0; c < open_.lambda.rows(); ++c) {
      at_.lambda(c, column) += open_.lambda(c, k);
    }
  }

  /// How far the column that is furthest behind has come, of kWhole: errors fall by about the same
  /// factor in every iteration.
  std::uint64_t measure_progress() const {
    double least = 1;
    for (const std::size_t k : open_.column) {
      const double whole = std::log(first_sizes_[k] / goal_[k]);
      const double done = std::log(first_sizes_[k] / now_[k]);
      if (whole > 0) least = std::min(least, done / whole);
    }
    return static_cast<std::uint64_t>(std::clamp(least, 0.0, 1.0) * kWhole);
  }

  const Context& context_;
  const ArmEquations& equations_;
  const RidgePreconditioner& preconditioner_;
  const IterationLimits& limits_;
  const RidgeSides& sides_;
  std::vector<double>& goal_;
  RidgeSolution& at_;
  OpenColumns open_;
  std::vector<double> floor_;
  std::vector<double> first_sizes_;  ///< r'M⁻¹r at the beginning, by column of the block
  std::vector<double> now_;
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

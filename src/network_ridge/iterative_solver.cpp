#include "network_ridge/iterative_solver.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

namespace cone {
namespace {

constexpr std::size_t kIteratedPlaces = 4096;
/// Columns that are solved together: wider rows make better use of each neighbour that is looked
/// up, and take more memory.
constexpr std::size_t kColumnsAtATime = 32;

/// Beyond a rank of 256 iterations are hardly fewer; a gigabyte of factor is enough.
std::size_t choose_rank(const RidgeSystem& system) {
  constexpr std::size_t kLargestRank = 256;
  constexpr std::size_t kFactorBytes = std::size_t{1} << 30;
  const std::size_t n = system.inputs->num_nodes();
  std::size_t rank = std::min(kLargestRank, kFactorBytes / (sizeof(double) * n));
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    rank = std::min(rank, system.places_of_arm(a).size() / 4);
  }
  return rank;
}

/// One number per arm and column.
using ArmColumns = Matrix<double>;

/// Σ over an arm's places of a·b, for every column.
ArmColumns multiply_columns(const Context& context, const RidgeInputs& inputs,
                            const Matrix<double>& a, const Matrix<double>& b) {
  ArmColumns out(inputs.num_arms(), a.cols());
  for (std::size_t arm = 0; arm < inputs.num_arms(); ++arm) {
    const std::size_t first = inputs.arm_begin[arm];
    const auto parts = context.map_ranges<std::vector<double>>(
        inputs.arm_begin[arm + 1] - first, kIteratedPlaces,
        [&](std::size_t begin, std::size_t end) {
          std::vector<double> sums(a.cols(), 0.0);
          for (std::size_t p = first + begin; p < first + end; ++p) {
            for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += a(p, k) * b(p, k);
          }
          return sums;
        });
    for (const std::vector<double>& part : parts) {
      for (std::size_t k = 0; k < part.size(); ++k) out(arm, k) += part[k];
    }
  }
  return out;
}

/// to = scale_to·to + scale_from·from, factors by arm and column.
void combine(const Context& context, const RidgeInputs& inputs, const ArmColumns& scale_to,
             const ArmColumns& scale_from, const Matrix<double>& from, Matrix<double>& to) {
  for (std::size_t arm = 0; arm < inputs.num_arms(); ++arm) {
    const std::size_t first = inputs.arm_begin[arm];
    context.for_each_range(inputs.arm_begin[arm + 1] - first, kIteratedPlaces,
                           [&](std::size_t begin, std::size_t end) {
                             for (std::size_t p = first + begin; p < first + end; ++p) {
                               for (std::size_t k = 0; k < to.cols(); ++k) {
                                 to(p, k) =
                                     scale_to(arm, k) * to(p, k) + scale_from(arm, k) * from(p, k);
                               }
                             }
                           });
  }
}

}  // namespace

IterativeSolver::IterativeSolver(const Context& context, const RidgeSystem& system)
    : system_(system), preconditioner_(context, system, choose_rank(system)) {
  for (std::size_t p = 0; p < system.inputs->num_nodes(); ++p) noise_.push_back(system.noise_at(p));
}

Matrix<double> IterativeSolver::multiply(const Context& context, std::span<const std::size_t> tasks,
                                         const Matrix<double>& x) const {
  Matrix<double> out = multiply_own_kernels(context, system_, x);
  context.for_each_range(out.rows(), kIteratedPlaces, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      for (std::size_t k = 0; k < out.cols(); ++k) {
        const bool learns = system_.learns_from[tasks[k]][p] != 0;
        out(p, k) = learns ? out(p, k) + noise_[p] * x(p, k) : 0.0;
      }
    }
  });
  return out;
}

RidgeSolution IterativeSolver::solve_block(const Context& context, const Matrix<double>& f,
                                           const Matrix<double>& g,
                                           std::span<const std::size_t> tasks) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t width = f.cols();
  const ArmColumns ones(inputs.num_arms(), width, 1.0);
  RidgeSolution out;
  out.lambda = Matrix<double>(g.rows(), width);
  Matrix<double> r = f;
  for (std::size_t p = 0; p < r.rows(); ++p) {
    for (std::size_t k = 0; k < width; ++k) {
      if (system_.learns_from[tasks[k]][p] == 0) r(p, k) = 0;
    }
  }
  const Matrix<double> sides = r;  // f, masked
  // Start where B'x = g, and where the preconditioner thinks the solution is.
  out.x = preconditioner_.project(context, tasks, &g, r, out.lambda);
  {
    // r = f − C·x − B·λ
    const Matrix<double> product = multiply(context, tasks, out.x);
    const ArmColumns minus(inputs.num_arms(), width, -1.0);
    combine(context, inputs, ones, minus, product, r);
  }
  Matrix<double> z = preconditioner_.project(context, tasks, nullptr, r, out.lambda);
  Matrix<double> p = z;
  ArmColumns rz = multiply_columns(context, inputs, r, z);
  // The size of an error is its energy e'Ce, of which r'M⁻¹r is the preconditioner's idea; a column
  // is done where that is small beside the energy of the solution, x'Cx = x'(f − r) − g'λ.
  ArmColumns goal(inputs.num_arms(), width);
  const auto set_goals = [&] {
    goal = multiply_columns(context, inputs, out.x, sides);
    const ArmColumns with_residual = multiply_columns(context, inputs, out.x, r);
    for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
      for (std::size_t k = 0; k < width; ++k) {
        double energy = goal(a, k) - with_residual(a, k);
        for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
          const std::size_t row = a * RidgeSystem::kNumFixed + c;
          energy -= g(row, k) * out.lambda(row, k);
        }
        goal(a, k) = kTolerance * kTolerance * std::abs(energy) + 1e-300;
      }
    }
  };
  set_goals();
  const auto num_open = [&] {
    std::size_t open = 0;
    for (std::size_t k = 0; k < rz.values().size(); ++k) {
      open += rz.values()[k] > goal.values()[k] ? 1 : 0;
    }
    return open;
  };
  while (num_open() > 0 && out.iterations < kMostIterations) {
    context.poll();
    const Matrix<double> product = multiply(context, tasks, p);
    const ArmColumns curvature = multiply_columns(context, inputs, p, product);
    ArmColumns step(inputs.num_arms(), width);
    ArmColumns back(inputs.num_arms(), width);
    for (std::size_t k = 0; k < step.values().size(); ++k) {
      const bool open = rz.values()[k] > goal.values()[k] && curvature.values()[k] > 0;
      step.values()[k] = open ? rz.values()[k] / curvature.values()[k] : 0;
      back.values()[k] = -step.values()[k];
    }
    combine(context, inputs, ones, step, p, out.x);
    combine(context, inputs, ones, back, product, r);
    z = preconditioner_.project(context, tasks, nullptr, r, out.lambda);
    const ArmColumns next = multiply_columns(context, inputs, r, z);
    ArmColumns keep(inputs.num_arms(), width);
    for (std::size_t k = 0; k < keep.values().size(); ++k) {
      keep.values()[k] = rz.values()[k] > 0 ? next.values()[k] / rz.values()[k] : 0;
    }
    combine(context, inputs, keep, ones, z, p);
    rz = next;
    set_goals();
    ++out.iterations;
  }
  out.converged = num_open() == 0;
  return out;
}

RidgeSolution IterativeSolver::solve(const Context& context, const Matrix<double>& f,
                                     const Matrix<double>& g,
                                     std::span<const std::size_t> tasks) const {
  require(f.cols() == tasks.size() && g.cols() == tasks.size(), "network ridge: sizes differ");
  RidgeSolution out;
  out.x = Matrix<double>(f.rows(), f.cols());
  out.lambda = Matrix<double>(g.rows(), g.cols());
  for (std::size_t first = 0; first < tasks.size(); first += kColumnsAtATime) {
    context.report("solving", first, tasks.size());
    const std::size_t count = std::min(kColumnsAtATime, tasks.size() - first);
    const auto take = [&](const Matrix<double>& table) {
      Matrix<double> part(table.rows(), count);
      for (std::size_t i = 0; i < table.rows(); ++i) {
        for (std::size_t k = 0; k < count; ++k) part(i, k) = table(i, first + k);
      }
      return part;
    };
    const RidgeSolution part = solve_block(context, take(f), take(g), tasks.subspan(first, count));
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < f.rows(); ++i) out.x(i, first + k) = part.x(i, k);
      for (std::size_t i = 0; i < g.rows(); ++i) out.lambda(i, first + k) = part.lambda(i, k);
    }
    out.iterations += part.iterations;
    out.converged = out.converged && part.converged;
  }
  return out;
}

}  // namespace cone

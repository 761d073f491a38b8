#include "network_ridge/iterative_solver.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"

namespace cone {
namespace {

constexpr std::size_t kIteratedPlaces = 4096;
/// Columns that are solved together: wider rows make better use of each neighbour that is looked
/// up, and take more memory.
constexpr std::size_t kColumnsAtATime = 32;

/// Beyond a random rank of 256 iterations are hardly fewer; a gigabyte of factor is enough. Words
/// are worth their columns where there are far more nodes, and two gigabytes hold the small factors
/// of all arms and tasks.
PreconditionerSize choose_size(const RidgeSystem& system) {
  constexpr std::size_t kLargestRank = 256;
  constexpr std::size_t kFactorBytes = std::size_t{1} << 30;
  constexpr double kSmallFactorBytes = 2.0 * (1U << 30U);
  constexpr std::size_t kNodesPerColumn = 8;
  const std::size_t n = system.inputs->num_nodes();
  PreconditionerSize size;
  size.rank = std::min(kLargestRank, kFactorBytes / (sizeof(double) * n));
  for (std::size_t a = 0; a < system.arms.size(); ++a) {
    size.rank = std::min(size.rank, system.places_of_arm(a).size() / 4);
  }
  const auto num_factors = static_cast<double>(system.arms.size() * system.num_tasks());
  const auto fitting = static_cast<std::size_t>(
      std::sqrt(kSmallFactorBytes / (sizeof(double) * std::max(num_factors, 1.0))));
  size.word_columns = std::min(n / kNodesPerColumn, fitting - std::min(fitting, size.rank));
  return size;
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

/// r'N⁻¹r of an r that is rounding of f and no more.
ArmColumns measure_rounding(const Context& context, const RidgeSystem& system,
                            const Matrix<double>& f) {
  constexpr double kRounding = 1e-14;
  Matrix<double> weighted = f;
  for (std::size_t p = 0; p < f.rows(); ++p) {
    const double factor = kRounding * kRounding / system.noise_at(p);
    for (double& value : weighted.row(p)) value *= factor;
  }
  return multiply_columns(context, *system.inputs, f, weighted);
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

constexpr std::uint64_t kWhole = 100;

/// How far the column that is furthest behind has come, of kWhole: errors fall by about the same
/// factor in every iteration.
std::uint64_t measure_progress(const ArmColumns& first, const ArmColumns& now,
                               const ArmColumns& goal) {
  double least = 1;
  for (std::size_t k = 0; k < now.values().size(); ++k) {
    const double whole = std::log(first.values()[k] / goal.values()[k]);
    const double done = std::log(first.values()[k] / now.values()[k]);
    if (whole > 0 && now.values()[k] > goal.values()[k]) least = std::min(least, done / whole);
  }
  return static_cast<std::uint64_t>(std::clamp(least, 0.0, 1.0) * kWhole);
}

}  // namespace

IterativeSolver::IterativeSolver(const Context& context, const RidgeSystem& system)
    : system_(system), preconditioner_(context, system, choose_size(system)) {}

Matrix<double> IterativeSolver::measure_solution(const Context& context, const RidgeSides& sides,
                                                 const Matrix<double>& r,
                                                 const RidgeSolution& at) const {
  // x'Cx = x'(f − r) − g'λ, as B'x = g.
  const RidgeInputs& inputs = *system_.inputs;
  Matrix<double> sizes = multiply_columns(context, inputs, at.x, sides.f);
  const ArmColumns left = multiply_columns(context, inputs, at.x, r);
  for (std::size_t a = 0; a < sizes.rows(); ++a) {
    for (std::size_t k = 0; k < sizes.cols(); ++k) {
      sizes(a, k) -= left(a, k);
      for (std::size_t c = 0; c < RidgeSystem::kNumFixed; ++c) {
        const std::size_t row = a * RidgeSystem::kNumFixed + c;
        sizes(a, k) -= sides.g(row, k) * at.lambda(row, k);
      }
    }
  }
  return sizes;
}

bool IterativeSolver::improve(const Context& context, const RidgeSides& sides, RidgeSides left,
                              std::span<const std::size_t> tasks, Matrix<double>& goal,
                              RidgeSolution& at) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t width = tasks.size();
  const ArmColumns ones(inputs.num_arms(), width, 1.0);
  Matrix<double>& r = left.f;
  bool is_tight = goal.rows() > 0;
  ArmColumns floor;
  {
    // Start where B'x = g, and where the preconditioner thinks the solution is.
    const Matrix<double> start = preconditioner_.project(context, tasks, &left.g, r, at.lambda);
    if (!is_tight) {
      // The size of that solution, x'Mx. The first residual would not do: it may be ten thousand
      // times larger where the preconditioner describes little.
      goal = multiply_columns(context, inputs, r, start);
      floor = measure_rounding(context, system_, sides.f);
      for (std::size_t k = 0; k < goal.values().size(); ++k) {
        goal.values()[k] =
            std::max(kTolerance * kTolerance * goal.values()[k], floor.values()[k]) + 1e-300;
      }
    }
    combine(context, inputs, ones, ones, start, at.x);
    const Matrix<double> product = multiply_equations(context, system_, tasks, start);
    const ArmColumns minus(inputs.num_arms(), width, -1.0);
    combine(context, inputs, ones, minus, product, r);
  }
  Matrix<double> z = preconditioner_.project(context, tasks, nullptr, r, at.lambda);
  Matrix<double> p = z;
  ArmColumns rz = multiply_columns(context, inputs, r, z);
  const ArmColumns first_sizes = rz;
  const auto is_open = [&](std::size_t k) { return rz.values()[k] > goal.values()[k]; };
  const auto any_open = [&] {
    for (std::size_t k = 0; k < rz.values().size(); ++k) {
      if (is_open(k)) return true;
    }
    return false;
  };
  // Where the preconditioner sees less than the kernel, x'Mx is larger than the size that counts,
  // x'Cx, which is known near the solution only.
  const auto tighten = [&] {
    const ArmColumns sizes = measure_solution(context, sides, r, at);
    for (std::size_t k = 0; k < sizes.values().size(); ++k) {
      double& value = goal.values()[k];
      const double wanted = kTolerance * kTolerance * sizes.values()[k];
      value = std::min(value, std::max(wanted, floor.values()[k]) + 1e-300);
    }
  };
  while (at.iterations < kMostIterations) {
    if (!any_open()) {
      if (is_tight) break;
      tighten();
      is_tight = true;
      if (!any_open()) break;
    }
    context.report("iterating", measure_progress(first_sizes, rz, goal), kWhole);
    const Matrix<double> product = multiply_equations(context, system_, tasks, p);
    const ArmColumns curvature = multiply_columns(context, inputs, p, product);
    ArmColumns step(inputs.num_arms(), width);
    ArmColumns back(inputs.num_arms(), width);
    for (std::size_t k = 0; k < step.values().size(); ++k) {
      const bool moves = is_open(k) && curvature.values()[k] > 0;
      step.values()[k] = moves ? rz.values()[k] / curvature.values()[k] : 0;
      back.values()[k] = -step.values()[k];
    }
    combine(context, inputs, ones, step, p, at.x);
    combine(context, inputs, ones, back, product, r);
    z = preconditioner_.project(context, tasks, nullptr, r, at.lambda);
    const ArmColumns next = multiply_columns(context, inputs, r, z);
    // A column that is done keeps its direction, in case that it is opened again.
    ArmColumns keep = ones;
    ArmColumns take(inputs.num_arms(), width);
    for (std::size_t k = 0; k < keep.values().size(); ++k) {
      if (step.values()[k] == 0) continue;
      keep.values()[k] = next.values()[k] / rz.values()[k];
      take.values()[k] = 1;
      rz.values()[k] = next.values()[k];
    }
    combine(context, inputs, keep, take, z, p);
    ++at.iterations;
  }
  return !any_open();
}

RidgeSolution IterativeSolver::solve_block(const Context& context, RidgeSides sides,
                                           std::span<const std::size_t> tasks) const {
  // Rounding adds up over the iterations where the noise of some places is very small. Starting
  // again from what is truly left takes it off.
  constexpr std::size_t kMostStarts = 3;
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t width = tasks.size();
  for (std::size_t p = 0; p < sides.f.rows(); ++p) {
    for (std::size_t k = 0; k < width; ++k) {
      if (system_.learns_from[tasks[k]][p] == 0) sides.f(p, k) = 0;
    }
  }
  RidgeSolution out;
  out.x = Matrix<double>(inputs.num_nodes(), width);
  out.lambda = Matrix<double>(sides.g.rows(), width);
  Matrix<double> goal;
  for (std::size_t start = 0; start < kMostStarts; ++start) {
    const std::size_t before = out.iterations;
    RidgeSides left = start == 0 ? sides : find_residual(context, system_, sides, tasks, out);
    out.converged = improve(context, sides, std::move(left), tasks, goal, out);
    if (out.iterations == before || !out.converged) break;
  }
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
    const auto whole = static_cast<double>(tasks.size());
    const StageScope stage(
        context, fmt::format("columns from {} of {}", first + 1, tasks.size()),
        static_cast<double>(first) / whole,
        static_cast<double>(std::min(first + kColumnsAtATime, tasks.size())) / whole);
    const std::size_t count = std::min(kColumnsAtATime, tasks.size() - first);
    const auto take = [&](const Matrix<double>& table) {
      Matrix<double> part(table.rows(), count);
      for (std::size_t i = 0; i < table.rows(); ++i) {
        for (std::size_t k = 0; k < count; ++k) part(i, k) = table(i, first + k);
      }
      return part;
    };
    const RidgeSolution part =
        solve_block(context, {take(f), take(g)}, tasks.subspan(first, count));
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

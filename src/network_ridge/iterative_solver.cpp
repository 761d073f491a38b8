#include "network_ridge/iterative_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

namespace cone {
namespace {

/// Columns that are solved together: wider rows make better use of each neighbour row that is
/// fetched, and take more memory.
constexpr std::size_t kColumnsAtATime = 32;

/// A random rank beyond 256 hardly saves iterations; the factor is limited to a gigabyte. The
/// kernel of neighbour effects alone has so flat a spectrum that rank 64 suffices (at 100,000 nodes
/// 86 iterations instead of 80, in the same time, and a quarter of the memory). Columns for count
/// features pay where there are far more nodes; the small factors of all arms and tasks are limited
/// to two gigabytes.
PreconditionerSize choose_size(const ArmEquations& equations) {
  constexpr std::size_t kLargestRank = 256;
  constexpr std::size_t kRankForNeighbourEffects = 64;
  constexpr std::size_t kFactorBytes = std::size_t{1} << 30;
  constexpr double kSmallFactorBytes = 2.0 * (1U << 30U);
  constexpr std::size_t kPositionsPerColumn = 4;
  const auto n = static_cast<std::size_t>(
      equations.comm().allreduce_max(static_cast<double>(equations.inputs().num_nodes())));
  const std::size_t positions = equations.num_learning_of_all();
  PreconditionerSize size;
  size.rank = std::min({kLargestRank, kFactorBytes / (sizeof(double) * n), positions / 4});
  size.rank_for_neighbour_effects = std::min(size.rank, kRankForNeighbourEffects);
  const auto num_factors =
      static_cast<double>(equations.inputs().num_arms() * equations.num_tasks());
  const auto fitting = static_cast<std::size_t>(
      std::sqrt(kSmallFactorBytes / (sizeof(double) * std::max(num_factors, 1.0))));
  size.count_columns =
      std::min(positions / kPositionsPerColumn, fitting - std::min(fitting, size.rank));
  return size;
}

/// Some columns of `rows` rows of a table.
Matrix<double> take_block(const Matrix<double>& table, std::size_t first_row, std::size_t rows,
                          std::span<const std::size_t> columns) {
  auto out = Matrix<double>::unfilled(rows, columns.size());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) out(i, k) = table(first_row + i, columns[k]);
  }
  return out;
}

void put_block(const Matrix<double>& block, std::size_t first_row,
               std::span<const std::size_t> columns, Matrix<double>& table) {
  for (std::size_t i = 0; i < block.rows(); ++i) {
    for (std::size_t k = 0; k < columns.size(); ++k) table(first_row + i, columns[k]) = block(i, k);
  }
}

/// By arm, the columns with a nonzero right-hand side: the solution of the others is zero.
std::vector<std::vector<std::size_t>> find_nonzero_columns(const RidgeInputs& inputs,
                                                           const Matrix<double>& f,
                                                           const Matrix<double>& g) {
  const std::span<const std::size_t> arm_begin = inputs.arm_begin;
  Matrix<double> is_nonzero(arm_begin.size() - 1, f.cols());
  for (std::size_t a = 0; a < is_nonzero.rows(); ++a) {
    const auto look = [&](const Matrix<double>& table, std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        for (std::size_t k = 0; k < is_nonzero.cols(); ++k) {
          if (table(i, k) != 0) is_nonzero(a, k) = 1;
        }
      }
    };
    look(f, arm_begin[a], arm_begin[a + 1]);
    look(g, a * RidgeSystem::kNumFixed, (a + 1) * RidgeSystem::kNumFixed);
  }
  inputs.comm->allreduce(is_nonzero.values());
  std::vector<std::vector<std::size_t>> out(is_nonzero.rows());
  for (std::size_t a = 0; a < is_nonzero.rows(); ++a) {
    for (std::size_t k = 0; k < is_nonzero.cols(); ++k) {
      if (is_nonzero(a, k) != 0) out[a].push_back(k);
    }
  }
  return out;
}

}  // namespace

IterativeSolver::SolvedArm::SolvedArm(const Context& context, const RidgeSystem& system,
                                      std::size_t arm, GhostCounts& ghosts)
    : equations(context, system, arm),
      preconditioner(context, equations, choose_size(equations), ghosts) {}

IterativeSolver::IterativeSolver(const Context& context, const RidgeSystem& system,
                                 std::span<const std::size_t> arms, IterationLimits limits)
    : system_(system), limits_(limits) {
  GhostCounts ghosts(*system.inputs);
  const auto total = static_cast<double>(arms.size());
  for (std::size_t k = 0; k < arms.size(); ++k) {
    const StageScope stage(context, fmt::format("arm {} of {}", k + 1, arms.size()),
                           static_cast<double>(k) / total, static_cast<double>(k + 1) / total);
    arms_.push_back(std::make_unique<SolvedArm>(context, system, arms[k], ghosts));
  }
}

RidgeSolution IterativeSolver::solve_block(const Context& context, const SolvedArm& arm,
                                           RidgeSides sides,
                                           std::span<const std::size_t> tasks) const {
  // Rounding errors accumulate over the iterations where the noise of some positions is very small.
  // Restarting from the true residual removes them.
  constexpr std::size_t kMostStarts = 3;
  for (std::size_t row = 0; row < sides.f.rows(); ++row) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!arm.equations.learns(tasks[k], row)) sides.f(row, k) = 0;
    }
  }
  RidgeSolution out;
  out.x = Matrix<double>(sides.f.rows(), tasks.size());
  out.lambda = Matrix<double>(sides.g.rows(), tasks.size());
  std::vector<double> goal;
  for (std::size_t start = 0; start < kMostStarts; ++start) {
    const std::size_t before = out.iterations;
    RidgeSides left = start == 0 ? sides : arm.equations.find_residual(context, sides, tasks, out);
    improve_solution(context, arm.equations, arm.preconditioner, limits_, sides, std::move(left),
                     tasks, goal, out);
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
  // The columns that every arm has to solve; progress is relative to their number.
  const std::vector<std::vector<std::size_t>> nonzero = find_nonzero_columns(*system_.inputs, f, g);
  std::size_t total = 0;
  for (const auto& arm : arms_) total += nonzero[arm->equations.arm()].size();
  std::size_t done = 0;
  for (const auto& entry : arms_) {
    const SolvedArm& arm = *entry;
    const std::size_t first_fixed = arm.equations.arm() * RidgeSystem::kNumFixed;
    const std::span<const std::size_t> open = nonzero[arm.equations.arm()];
    for (std::size_t first = 0; first < open.size(); first += kColumnsAtATime) {
      const std::size_t count = std::min(kColumnsAtATime, open.size() - first);
      const auto columns = open.subspan(first, count);
      const StageScope stage(context, fmt::format("column {} of {}", done + 1, total),
                             static_cast<double>(done) / static_cast<double>(total),
                             static_cast<double>(done + count) / static_cast<double>(total));
      std::vector<std::size_t> their_tasks;
      for (const std::size_t k : columns) their_tasks.push_back(tasks[k]);
      const RidgeSolution part = solve_block(
          context, arm,
          {take_block(f, arm.equations.first_position(), arm.equations.num_positions(), columns),
           take_block(g, first_fixed, RidgeSystem::kNumFixed, columns)},
          their_tasks);
      put_block(part.x, arm.equations.first_position(), columns, out.x);
      put_block(part.lambda, first_fixed, columns, out.lambda);
      out.iterations += part.iterations;
      out.converged = out.converged && part.converged;
      done += count;
    }
  }
  return out;
}

}  // namespace cone

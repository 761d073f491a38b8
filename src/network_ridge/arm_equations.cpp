#include "network_ridge/arm_equations.hpp"

#include <algorithm>

#include "cone/context.hpp"

#include "base/numeric.hpp"
#include "network_ridge/kernel_products.hpp"

namespace cone {
namespace {

constexpr std::size_t kEquationRows = 4096;

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

ArmEquations::ArmEquations(const Context& context, const RidgeSystem& system, std::size_t arm)
    : system_(system),
      arm_(arm),
      strengths_(system.groups, system.arms[arm]),
      range_(context, *system.inputs, arm, strengths_.sums() || strengths_.means()) {
  noise_.reserve(num_positions());
  std::size_t learning = 0;
  for (std::size_t row = 0; row < num_positions(); ++row) {
    noise_.push_back(noise_of_position(model(), inputs().relative_degree[first_position() + row],
                                       system.undersmoothing));
    learning += learns_at_all(row) ? 1 : 0;
  }
  learning_of_all_ = static_cast<std::size_t>(comm().count(learning));
}

bool ArmEquations::learns_at_all(std::size_t row) const {
  return std::ranges::any_of(system_.learns_from, [&](const std::vector<char>& task) {
    return task[first_position() + row] != 0;
  });
}

Matrix<double> ArmEquations::multiply_kernel(const Context& context,
                                             const GroupStrengths& strengths,
                                             const Matrix<double>& v) const {
  return cone::multiply_kernel(context, inputs(), strengths, range_, range_, v);
}

Matrix<double> ArmEquations::multiply(const Context& context, std::span<const std::size_t> tasks,
                                      const Matrix<double>& x) const {
  Matrix<double> out = multiply_kernel(context, strengths_, x);
  context.for_each_range(num_positions(), kEquationRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (std::size_t k = 0; k < out.cols(); ++k) {
        out(row, k) = learns(tasks[k], row) ? out(row, k) + noise_[row] * x(row, k) : 0.0;
      }
    }
  });
  return out;
}

RidgeSides ArmEquations::find_residual(const Context& context, RidgeSides sides,
                                       std::span<const std::size_t> tasks,
                                       const RidgeSolution& at) const {
  constexpr std::size_t kNumFixed = RidgeSystem::kNumFixed;
  const Matrix<double> product = multiply(context, tasks, at.x);
  const auto parts = context.map_ranges<Matrix<double>>(
      num_positions(), kEquationRows, [&](std::size_t begin, std::size_t end) {
        Matrix<double> sums(kNumFixed, at.x.cols());
        for (std::size_t row = begin; row < end; ++row) {
          for (std::size_t k = 0; k < product.cols(); ++k) {
            if (!learns(tasks[k], row)) continue;
            sides.f(row, k) -= product(row, k);
            for (std::size_t c = 0; c < kNumFixed; ++c) {
              const double effect = fixed_effect(row, c);
              sides.f(row, k) -= effect * at.lambda(c, k);
              sums(c, k) += effect * at.x(row, k);
            }
          }
        }
        return sums;
      });
  // All ranks have the same g, which the allreduce must add once.
  if (comm().rank() > 0) sides.g = Matrix<double>(kNumFixed, at.x.cols());
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < part.values().size(); ++k) {
      sides.g.values()[k] -= part.values()[k];
    }
  }
  comm().allreduce(sides.g.values());
  return sides;
}

RidgeSolution solve_twice(const Context& context,
                          std::span<const std::unique_ptr<ArmEquations>> arms,
                          const RidgeSides& sides, std::span<const std::size_t> tasks,
                          const std::function<RidgeSolution(const RidgeSides&)>& solve) {
  constexpr std::size_t kNumFixed = RidgeSystem::kNumFixed;
  RidgeSolution out = solve(sides);
  RidgeSides left{Matrix<double>(sides.f.rows(), sides.f.cols()),
                  Matrix<double>(sides.g.rows(), sides.g.cols())};
  for (const auto& arm : arms) {
    const std::size_t first = arm->first_position();
    const std::size_t first_fixed = arm->arm() * kNumFixed;
    const RidgeSolution at{.x = take_rows(out.x, first, arm->num_positions()),
                           .lambda = take_rows(out.lambda, first_fixed, kNumFixed)};
    const RidgeSides of_arm = arm->find_residual(context,
                                                 {take_rows(sides.f, first, arm->num_positions()),
                                                  take_rows(sides.g, first_fixed, kNumFixed)},
                                                 tasks, at);
    put_rows(of_arm.f, first, left.f);
    put_rows(of_arm.g, first_fixed, left.g);
  }
  const RidgeSolution more = solve(left);
  for (std::size_t k = 0; k < out.x.values().size(); ++k) out.x.values()[k] += more.x.values()[k];
  for (std::size_t k = 0; k < out.lambda.values().size(); ++k) {
    out.lambda.values()[k] += more.lambda.values()[k];
  }
  return out;
}

KernelDiagonal find_kernel_diagonal(const ArmEquations& equations,
                                    const GroupStrengths& strengths) {
  const RidgeInputs& inputs = equations.inputs();
  const std::size_t size = equations.num_positions();
  const std::size_t first = equations.first_position();
  const bool sums_features = strengths[GroupKind::kNeighbourSumsCounts] > 0 ||
                             strengths[GroupKind::kNeighbourMeansCounts] > 0 ||
                             strengths[GroupKind::kNeighbourSumsNumeric] > 0 ||
                             strengths[GroupKind::kNeighbourMeansNumeric] > 0;
  const NeighbourNorms& norms = inputs.neighbour_norms;
  KernelDiagonal out{std::vector<double>(size, 0.0), std::vector<double>(size, 0.0)};
  std::vector<double>& by_counts =
      equations.num_counts() >= equations.num_positions_of_all() ? out.spread : out.narrow;
  for (std::size_t row = 0; row < size; ++row) {
    const std::size_t position = first + row;
    const double inverse = inputs.inverse_degree[position];
    out.spread[row] += (strengths[GroupKind::kNeighbourEffects] +
                        strengths[GroupKind::kMeanNeighbourEffects] * inverse * inverse) *
                       inputs.degree[position];
    if (inputs.counts.row(position).size() > 0) by_counts[row] += strengths[GroupKind::kOwnCounts];
    const auto add_own = [&](GroupKind kind, const Matrix<double>& table) {
      if (strengths[kind] == 0) return;
      out.narrow[row] += strengths[kind] * dot(table.row(position), table.row(position));
    };
    add_own(GroupKind::kOwnNumeric, inputs.numeric);
    add_own(GroupKind::kOwnSmooth, inputs.smooth);
    add_own(GroupKind::kOwnCurves, inputs.curves);
    for (const GroupKind kind : kCommunityKinds) {
      if (inputs.communities.of(kind, position)) out.narrow[row] += strengths[kind];
    }
    if (!sums_features) continue;
    by_counts[row] += (strengths[GroupKind::kNeighbourSumsCounts] +
                       strengths[GroupKind::kNeighbourMeansCounts] * inverse * inverse) *
                      norms.counts[position];
    out.narrow[row] += (strengths[GroupKind::kNeighbourSumsNumeric] +
                        strengths[GroupKind::kNeighbourMeansNumeric] * inverse * inverse) *
                       norms.numeric[position];
  }
  return out;
}

}  // namespace cone

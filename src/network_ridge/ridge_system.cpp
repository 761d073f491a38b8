#include "network_ridge/ridge_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {
namespace {

constexpr std::size_t kSystemPositionsPerPiece = 4096;
/// The least noise variance when equations are solved, in units of the outcome's residual variance.
/// Numerical, not statistical: with less the solution keeps too few digits.
constexpr double kLeastNoise = 1e-7;

}  // namespace

double fixed_effect_of(double relative_degree, std::size_t column) {
  if (column == 0) return 1;
  return column == 1 ? relative_degree : std::sqrt(relative_degree);
}

double noise_of_position(const ArmModel& arm, double relative_degree, double undersmoothing) {
  const double learnt = arm.noise + kNoiseFloor + arm.noise_growth * relative_degree;
  return std::max(undersmoothing * learnt, kLeastNoise);
}

double RidgeSystem::fixed_effect(std::size_t position, std::size_t column) const {
  return fixed_effect_of(inputs->relative_degree[position], column);
}

double RidgeSystem::noise_at(std::size_t position) const {
  return noise_of_position(arms[inputs->arm_of(position)], inputs->relative_degree[position],
                           undersmoothing);
}

std::vector<std::uint32_t> RidgeSystem::positions_of_arm(std::size_t arm) const {
  std::vector<std::uint32_t> positions;
  for (std::size_t p = inputs->arm_begin[arm]; p < inputs->arm_begin[arm + 1]; ++p) {
    for (const std::vector<char>& task : learns_from) {
      if (task[p] == 0) continue;
      positions.push_back(static_cast<std::uint32_t>(p));
      break;
    }
  }
  return positions;
}

Matrix<double> multiply_equations(const Context& context, const RidgeSystem& system,
                                  std::span<const std::size_t> tasks, const Matrix<double>& x) {
  Matrix<double> out = multiply_own_kernels(context, system, x);
  context.for_each_range(out.rows(), kSystemPositionsPerPiece,
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t p = begin; p < end; ++p) {
                             const double noise = system.noise_at(p);
                             for (std::size_t k = 0; k < out.cols(); ++k) {
                               const bool learns = system.learns_from[tasks[k]][p] != 0;
                               out(p, k) = learns ? out(p, k) + noise * x(p, k) : 0.0;
                             }
                           }
                         });
  return out;
}

RidgeSides find_residual(const Context& context, const RidgeSystem& system, RidgeSides sides,
                         std::span<const std::size_t> tasks, const RidgeSolution& at) {
  constexpr std::size_t kNumFixed = RidgeSystem::kNumFixed;
  const RidgeInputs& inputs = *system.inputs;
  const Matrix<double> product = multiply_equations(context, system, tasks, at.x);
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    const std::size_t first = inputs.arm_begin[a];
    const auto parts = context.map_ranges<Matrix<double>>(
        inputs.arm_begin[a + 1] - first, kSystemPositionsPerPiece,
        [&](std::size_t begin, std::size_t end) {
          Matrix<double> sums(kNumFixed, at.x.cols());
          for (std::size_t p = first + begin; p < first + end; ++p) {
            for (std::size_t k = 0; k < product.cols(); ++k) {
              if (system.learns_from[tasks[k]][p] == 0) continue;
              sides.f(p, k) -= product(p, k);
              for (std::size_t c = 0; c < kNumFixed; ++c) {
                const double effect = system.fixed_effect(p, c);
                sides.f(p, k) -= effect * at.lambda(a * kNumFixed + c, k);
                sums(c, k) += effect * at.x(p, k);
              }
            }
          }
          return sums;
        });
    for (const Matrix<double>& part : parts) {
      for (std::size_t c = 0; c < kNumFixed; ++c) {
        for (std::size_t k = 0; k < part.cols(); ++k) {
          sides.g(a * kNumFixed + c, k) -= part(c, k);
        }
      }
    }
  }
  return sides;
}

RidgeSolution solve_twice(const Context& context, const RidgeSystem& system, RidgeSides sides,
                          std::span<const std::size_t> tasks,
                          const std::function<RidgeSolution(const RidgeSides&)>& solve) {
  RidgeSolution out = solve(sides);
  const RidgeSolution more = solve(find_residual(context, system, std::move(sides), tasks, out));
  for (std::size_t k = 0; k < out.x.values().size(); ++k) out.x.values()[k] += more.x.values()[k];
  for (std::size_t k = 0; k < out.lambda.values().size(); ++k) {
    out.lambda.values()[k] += more.lambda.values()[k];
  }
  return out;
}

void require_solution(bool is_factorised) {
  if (is_factorised) return;
  throw Error(ErrorCode::kData,
              Fault{{.item = "network ridge"},
                    "its equations cannot be solved in double precision",
                    "drop a group with --ridge-groups, or take a larger --undersmoothing"});
}

}  // namespace cone

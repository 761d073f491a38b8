#include "network_ridge/ridge_system.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {
namespace {

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

void require_solution(bool is_factorised) {
  if (is_factorised) return;
  throw Error(ErrorCode::kData,
              Fault{{.item = "network ridge"},
                    "its equations cannot be solved in double precision",
                    "drop a group with --ridge-groups, or take a larger --undersmoothing"});
}

}  // namespace cone

#include "network_ridge/ridge_system.hpp"

#include <cmath>

#include "network_ridge/restricted_likelihood.hpp"

namespace cone {

double RidgeSystem::fixed_effect(std::size_t place, std::size_t column) const {
  if (column == 0) return 1;
  const double relative = inputs->relative_degree[place];
  return column == 1 ? relative : std::sqrt(relative);
}

double RidgeSystem::noise_at(std::size_t place) const {
  const ArmModel& model = arms[inputs->arm_of(place)];
  return undersmoothing *
         (model.noise + kNoiseFloor + model.noise_growth * inputs->relative_degree[place]);
}

std::vector<std::uint32_t> RidgeSystem::places_of_arm(std::size_t arm) const {
  std::vector<std::uint32_t> places;
  for (std::size_t p = inputs->arm_begin[arm]; p < inputs->arm_begin[arm + 1]; ++p) {
    for (const std::vector<char>& task : learns_from) {
      if (task[p] == 0) continue;
      places.push_back(static_cast<std::uint32_t>(p));
      break;
    }
  }
  return places;
}

}  // namespace cone

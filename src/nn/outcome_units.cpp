#include "nn/outcome_units.hpp"

#include <cmath>

#include "base/numeric.hpp"

namespace cone {

OutcomeUnits outcome_units(std::span<const double> outcomes) {
  const double sd = std::sqrt(variance(outcomes, 0));
  return {.mean = mean(outcomes), .scale = sd > 0 ? sd : 1};
}

}  // namespace cone

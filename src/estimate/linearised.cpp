#include "estimate/linearised.hpp"

#include <cmath>
#include <limits>

#include "base/numeric.hpp"

namespace cone {

double standard_error(std::span<const double> influence) {
  if (influence.size() < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(variance(influence, 1) / static_cast<double>(influence.size()));
}

}  // namespace cone

#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace cone::testing {

/// d value() / d x by central differences; value() reads x through its own reference.
template <class Value>
double central_difference(double& x, const Value& value, double step = 1e-5) {
  const double centre = x;
  x = centre + step;
  const double above = value();
  x = centre - step;
  const double below = value();
  x = centre;
  return (above - below) / (2 * step);
}

}  // namespace cone::testing

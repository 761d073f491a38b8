#pragma once

#include <cmath>

// Special functions of the topic model's bound, in double precision. std::lgamma writes a global
// (signgam) and may not run on several threads; the standard library has no digamma.

namespace cone::topic_model {

/// ψ(x), x > 0. Recurrence up to 8, then the asymptotic series; relative error below 1e-14 away
/// from the root at 1.46, absolute error below 1e-15 near it.
inline double digamma(double x) {
  double shift = 0;
  while (x < 8.0) {
    shift += 1.0 / x;
    x += 1.0;
  }
  const double r = 1.0 / (x * x);
  const double series =
      r * (1.0 / 12 -
           r * (1.0 / 120 -
                r * (1.0 / 252 -
                     r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
  return std::log(x) - 0.5 / x - series - shift;
}

/// ln Γ(x), x > 0. Recurrence up to 8, then Stirling's series.
inline double log_gamma(double x) {
  constexpr double kHalfLogTwoPi = 0.91893853320467274178;
  double product = 1;
  while (x < 8.0) {
    product *= x;
    x += 1.0;
  }
  const double r = 1.0 / (x * x);
  const double series =
      (1.0 / 12 -
       r * (1.0 / 360 -
            r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188 - r * (691.0 / 360360)))))) /
      x;
  return (x - 0.5) * std::log(x) - x + kHalfLogTwoPi + series - std::log(product);
}

}  // namespace cone::topic_model

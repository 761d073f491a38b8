#pragma once

#include <span>
#include <vector>

namespace cone {

/// A value together with each node's first-order contribution to it. The contributions φ_i have
/// mean zero; the standard error is sd(φ) / √n with n − 1 in the variance. Differences of two
/// policies on the same nodes are differences of contributions.
struct ValueAndInfluence {
  double value = 0;
  std::vector<double> influence;
};

}  // namespace cone

#pragma once

#include <cstddef>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone::load {

/// Moments of the numeric features and their correlations with outcome and treatment.
struct ColumnMoments {
  double num_nodes = 0;
  double outcome_spread = 0;                         ///< sum of squares about the mean
  bool has_all_arms = true;                          ///< among the nodes looked at
  std::vector<double> mean, spread;                  ///< one per column
  std::vector<double> with_outcome, with_treatment;  ///< absolute correlations, the largest

  bool is_constant(std::size_t j) const {
    return spread[j] <= 1e-24 * mean[j] * mean[j] * num_nodes;
  }
};

/// Over every `stride`-th node, on all ranks that share the context.
ColumnMoments moments_of(const Context& context, const Dataset& data, std::size_t stride);

}  // namespace cone::load

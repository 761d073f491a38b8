#pragma once

#include <vector>

#include "cone/context.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// ‖Σ_j x_j‖², x_j the features of neighbour j, of every position: count and numeric features.
struct NeighbourNorms {
  std::vector<double> counts;
  std::vector<double> numeric;
};

/// O(edges · count features per node).
NeighbourNorms find_neighbour_norms(const Context& context, const RidgeInputs& inputs);

}  // namespace cone

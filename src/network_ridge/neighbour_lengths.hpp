#pragma once

#include <vector>

#include "cone/context.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// ‖Σ_j x_j‖² over the neighbours of every position, for words and for columns.
struct NeighbourLengths {
  std::vector<double> words;
  std::vector<double> columns;
};

/// O(edges · words per node).
NeighbourLengths measure_neighbours(const Context& context, const RidgeInputs& inputs);

}  // namespace cone

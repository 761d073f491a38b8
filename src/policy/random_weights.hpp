#pragma once

#include <vector>

#include "data/dataset.hpp"
#include "exec/context.hpp"

namespace cone {

/// ψ and δ of the random-weights policy, one of −1 and +1 per feature.
struct SignWeights {
  std::vector<double> own;
  std::vector<double> neighbour;
};

/// The formula of random_weights_policy with given weights.
std::vector<double> sign_weight_probabilities(const Context& context, const FeatureTable& features,
                                              const Graph& graph, const SignWeights& weights);

}  // namespace cone

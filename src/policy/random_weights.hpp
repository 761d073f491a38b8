#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone {

/// ψ and δ of one arm of the random-weights policy (Guo, Li and Liu 2020, Counterfactual evaluation
/// of treatment assignment functions with networked observational data), −1 or +1 per feature.
struct SignWeights {
  std::vector<double> own;
  std::vector<double> neighbour;
};

/// The formula of random_weights_policy with given weights, one per arm after the control arm.
Matrix<double> sign_weight_probabilities(const Context& context, const FeatureTable& features,
                                         const Graph& graph, std::span<const SignWeights> weights);

}  // namespace cone

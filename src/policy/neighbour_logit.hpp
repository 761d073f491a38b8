#pragma once

#include <functional>
#include <vector>

#include "data/dataset.hpp"
#include "exec/context.hpp"

namespace cone {

/// A node's own score and what it adds to the mean over a neighbour's neighbours.
struct NodeScore {
  double own = 0;
  double as_neighbour = 0;
};

/// sigmoid(scale · (own_i + mean over neighbours j of as_neighbour_j)) for every node; the mean of
/// no neighbours is 0.
std::vector<double> neighbour_logit(
    const Context& context, const FeatureTable& features, const Graph& graph, double scale,
    const std::function<NodeScore(const FeatureMatrix::Row&)>& score);

}  // namespace cone

#pragma once

#include <functional>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone {

/// A node's own score and its term in the mean over a neighbour's neighbours.
struct NodeScore {
  double own = 0;
  double as_neighbour = 0;
};

/// One column of a table of logits, nodes × arms.
struct ArmLogits {
  Matrix<double>& table;
  Arm arm;
};

/// scale · (own_i + mean over neighbours j of as_neighbour_j) for every node; the mean of no
/// neighbours is 0.
void fill_neighbour_logit(const Context& context, const FeatureTable& features, const Graph& graph,
                          double scale, ArmLogits logits,
                          const std::function<NodeScore(const FeatureMatrix::Row&)>& score);

/// softmax_arms of every row.
Matrix<double> softmax_rows(const Context& context, Matrix<double> logits);

}  // namespace cone

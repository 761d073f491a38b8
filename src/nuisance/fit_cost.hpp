#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

/// The quantities that the cost of a fit depends on. Forecasts count operations by these and
/// multiply by rates that were measured on one core of a server; ./dev bench forecast compares them
/// with measured times.
struct FitSize {
  double nodes = 0;
  double entries = 0;  ///< nonzero entries of the features
  double columns = 0;
  double directed_edges = 0;
  double arms = 2;
  double largest_arm = 0;  ///< nodes
  double folds = 5;
  double selection_folds = 1;  ///< fits per fold to choose a penalty
  double threads = 1;

  /// The same with this fraction of the nodes.
  FitSize scaled(double share) const;
  FitSize without_network() const;
};

FitSize measure_size(const Context& context, const Dataset& data, const PlanOptions& plan);

/// Propensities by softmax regression, on this many nonzero entries.
double logistic_seconds(const FitSize& size, double entries);
double logistic_seconds(const FitSize& size);
/// Least squares or ridge.
double regression_seconds(const FitSize& size, bool chooses_penalty);
/// Regression with network cohesion, the choice of its penalties included.
double cohesion_seconds(const FitSize& size);
/// The network's eigenvectors, and ridge and softmax regression on them and the features.
double spectral_seconds(const FitSize& size);

}  // namespace cone

#pragma once

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"

namespace cone {

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

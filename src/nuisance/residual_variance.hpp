#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "exec/totals.hpp"

namespace cone {

/// Residual variance as a function of the degree: constant + growth·relative degree.
struct ResidualVariance {
  double constant = 0;
  double growth = 0;
  double at(double relative_degree) const { return constant + growth * relative_degree; }
};

/// By least squares of squared residuals, neither part negative; twice, the second time weighted by
/// what the first found, as large residuals are the noisier ones.
ResidualVariance fit_residual_variance(std::span<const double> residual,
                                       std::span<const double> relative_degree,
                                       const Totals& totals = Totals::alone());

/// Degrees of the nodes of a sample over the mean degree of the network; 0 without edges.
std::vector<double> relative_degrees(const Graph& graph, const LoggedSample& sample);

/// The variance of the outcome's noise that a model leaves, sample × arms: per arm, as a function
/// of the degree, from the residuals of the nodes that got it. An arm that nobody in the sample got
/// has NaN.
Matrix<double> estimate_noise(std::span<const double> relative_degree, const LoggedSample& sample,
                              MatrixView<const double> mu);

}  // namespace cone

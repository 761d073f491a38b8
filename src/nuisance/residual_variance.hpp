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

/// By least squares of squared residuals, neither coefficient negative; twice, the second time
/// weighted by the inverse squared variances of the first fit, as large squares are noisier.
ResidualVariance fit_residual_variance(std::span<const double> residual,
                                       std::span<const double> relative_degree,
                                       const Totals& totals = Totals::alone());

/// Degrees of the nodes of a sample over the mean degree of the network; 0 without edges.
std::vector<double> relative_degrees(const Graph& graph, const LoggedSample& sample);

/// Residual variance of an outcome model, sample × arms: per arm, as a function of the degree, from
/// the residuals of the nodes that received it. NaN for an arm that no node of the sample received.
Matrix<double> estimate_noise(std::span<const double> relative_degree, const LoggedSample& sample,
                              MatrixView<const double> mu);

}  // namespace cone

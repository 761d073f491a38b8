#pragma once

#include <span>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "exec/statistics.hpp"

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
                                       const Communicator& comm = Communicator::self());

/// Degrees of the nodes of a sample over the mean degree of the network; 0 without edges.
std::vector<double> relative_degrees(const Dataset& data, const LoggedSample& sample);

/// Residual variance of an outcome model, sample × arms: per arm, as a function of the degree, from
/// the residuals of the nodes that received it. NaN for an arm that no node of the sample received.
Matrix<double> estimate_noise(std::span<const double> relative_degree, const LoggedSample& sample,
                              MatrixView<const double> mu);

/// Factors on the residuals of every arm in standard errors, at least 1. An arm of few units with a
/// skewed outcome (spending, rare events) that happens to lack large outcomes has a mean that is
/// too low and a variance that is too small at the same time. The variance v_a of an arm is
/// therefore raised to that of all residuals, v, as far as the data do not show that it is lower:
///
///     v_a + w·(v − v_a) where v_a < v,   w = min(1, s²/(v − v_a)²),   s² = (m₄ − v²)/n_a
///
/// with m₄ the mean fourth power of all residuals: s is the standard error of v_a if the arm's
/// residuals are like all others. 1 for an arm without nodes or without residuals.
std::vector<double> raise_arm_noise(const LoggedSample& sample, std::span<const double> residual);

}  // namespace cone

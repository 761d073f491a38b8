#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/options.hpp"

#include "inference/dependence.hpp"

namespace cone {

/// Residuals of an outcome model, and how much of their noise neighbours share.
struct ModelNoise {
  Matrix<double> variance;  ///< sample × arms (estimate_noise)
  std::vector<double> residual;
  std::vector<double> sd;  ///< of every node's noise under the arm it received
  SharedNoise shared;
};

/// `relative_degree`: of the nodes of the sample. `kernels`: nullptr where the sample is only part
/// of the network.
ModelNoise describe_noise(const Context& context, std::span<const double> relative_degree,
                          const LoggedSample& sample, MatrixView<const double> mu,
                          const DependenceKernels* kernels);

/// Covariances of several values under every dependence structure, with the one that standard
/// errors are taken from.
struct JointErrors {
  std::vector<DependentCovariance> ways;
  std::size_t chosen = 0;  ///< in `ways`
  /// Of each value: the smaller ones of its variance and of the variance of its difference from the
  /// first value, for independent nodes.
  std::vector<double> degrees_of_freedom;

  const DependentCovariance& best() const { return ways[chosen]; }
  /// Of a value under the chosen dependence.
  double degrees_of(std::size_t value) const;
  /// Variance relative to independent nodes: 1 means that dependence does not matter.
  double design_effect() const;
};

/// Of one estimator's estimates for several policies with the same target. `noise`: of its outcome
/// model, nullptr where it has none. `policies`: sample × arms, one per estimate. None where an
/// estimate has no error contributions for the target.
std::optional<JointErrors> join_errors(const Context& context, const DependenceKernels& kernels,
                                       const LoggedSample& sample, Target target,
                                       std::span<const ErrorParts* const> parts,
                                       std::span<const Matrix<double>* const> policies,
                                       const ModelNoise* noise, Dependence wanted);

/// Recomputes the standard error and the interval of an estimate that has one under the `wanted`
/// dependence.
void apply_dependence(const Context& context, const DependenceKernels& kernels,
                      const LoggedSample& sample, const Matrix<double>& policy,
                      const ModelNoise* noise, Dependence wanted, Estimate& out);

}  // namespace cone

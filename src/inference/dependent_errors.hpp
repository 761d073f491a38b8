#pragma once

#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/estimate.hpp"
#include "cone/learn.hpp"
#include "cone/settings.hpp"

#include "inference/dependence.hpp"

namespace cone {

/// What an outcome model leaves unexplained, and how much of that neighbours share.
struct ModelNoise {
  Matrix<double> variance;  ///< sample × arms (estimate_noise)
  std::vector<double> residual;
  std::vector<double> sd;  ///< of every node's noise under the arm it got
  SharedNoise shared;
};

/// `relative_degree`: of the nodes of the sample. `kernels`: nullptr where they are no whole
/// network.
ModelNoise describe_noise(const Context& context, std::span<const double> relative_degree,
                          const LoggedSample& sample, MatrixView<const double> mu,
                          const DependenceKernels* kernels);

/// Covariances of several values, by every idea of the dependence, the one that a standard error is
/// taken from marked.
struct JointErrors {
  std::vector<DependentCovariance> ways;
  std::size_t chosen = 0;  ///< in `ways`

  const DependentCovariance& best() const { return ways[chosen]; }
  /// Beyond the independent one: 1 means that dependence does not matter.
  double design_effect() const;
};

/// Of estimates of one row for several policies with the same target. `noise`: of the row's outcome
/// model, nullptr where it has none. `policies`: sample × arms, one per estimate. Nothing where an
/// estimate has no parts for the target.
std::optional<JointErrors> join_errors(const Context& context, const DependenceKernels& kernels,
                                       const LoggedSample& sample, Target target,
                                       std::span<const ErrorParts* const> parts,
                                       std::span<const Matrix<double>* const> policies,
                                       const ModelNoise* noise, Dependence wanted);

/// Takes the standard error and the interval of an estimate that has one from its parts, by the
/// dependence that is wanted.
void apply_dependence(const Context& context, const DependenceKernels& kernels,
                      const LoggedSample& sample, const Matrix<double>& policy,
                      const ModelNoise* noise, Dependence wanted, Estimate& out);

}  // namespace cone

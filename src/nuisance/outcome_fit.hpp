#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"
#include "nuisance/fit_plan.hpp"

namespace cone {

/// One regression of one task, and everything that is needed of it.
struct OutcomeFit {
  std::vector<NodeIndex> nodes;  ///< that it was fitted on
  /// Predictions for the task's scored nodes, in their order; empty for an arm it says nothing of.
  std::vector<double> mu0;
  std::vector<double> mu1;
  Matrix<double> weights;  ///< policies × nodes: its part of OutcomePredictions::implied_weights
  /// In-sample residuals, squared and inflated by n/(n − degrees of freedom), where asked for.
  std::vector<double> squared_residuals;
  bool interpolates = false;  ///< degrees of freedom ≥ n: squared_residuals are NaN
  bool converged = true;
};

/// What every fit of a run shares.
struct OutcomeFitInput {
  const Context& context;
  const Dataset& data;
  const SparseMatrix& x;
  MatrixView<const double> policies;
  bool want_residuals;
};

/// Least squares on the features and the treatment: predicts both arms.
OutcomeFit fit_both_arms(const OutcomeFitInput& input, const FitTask& task);

/// Least squares (strength 0) or ridge on the features of one arm.
OutcomeFit fit_one_arm(const OutcomeFitInput& input, const FitTask& task, std::uint8_t arm,
                       double strength);

}  // namespace cone

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "linear/linear_smoother.hpp"

namespace cone {

/// One regression: the fold and the arm that it is fitted on.
struct LinearUnit {
  std::size_t task = 0;
  /// The arm whose nodes it is fitted on; without one, all arms at once, with columns for the arms.
  std::optional<Arm> arm;
  double strength = 0;  ///< of the ridge penalty; 0 is least squares

  bool all_arms() const { return !arm.has_value(); }
};

/// The data that all regressions of a learner share. References must outlive its users.
struct LinearInputs {
  const Dataset& data;
  const FitPlan& plan;
  FeatureMatrix x;  ///< the scaled features of all nodes
};

/// One regression and its predictions for the nodes that its task scores.
struct LinearUnitFit {
  std::vector<NodeIndex> nodes;  ///< the training nodes
  /// Scored nodes × arms that it predicts: its own, or all of them.
  Matrix<double> mu;
  /// In-sample residuals, squared and inflated by n/(n − degrees of freedom), where requested.
  std::vector<double> squared_residuals;
  bool interpolates = false;  ///< degrees of freedom ≥ n: squared_residuals are NaN
  bool converged = true;
  std::unique_ptr<LinearSmoother> smoother;  ///< none where the regression was already known
};

/// Coding of the arms as the corners of a regular simplex with edges of length 1, arm 0 at the
/// origin (two arms: 0 and 1). The order of the arms then has no effect, even where many
/// coefficients fit and the minimum-norm solution is taken. Row a is arm a, arms − 1 columns.
Matrix<double> arm_corners(std::size_t num_arms);

/// Centres the rows of X that a regression is fitted on, with the arm's corner as further columns
/// where all arms are fitted at once. The penalty is not set yet.
std::unique_ptr<LinearSmoother> make_smoother(const Context& context, const LinearInputs& inputs,
                                              const LinearUnit& unit,
                                              std::span<const NodeIndex> nodes);

/// The nodes that a regression is fitted on.
std::vector<NodeIndex> choose_nodes(const LinearInputs& inputs, const LinearUnit& unit);

LinearUnitFit fit_linear_unit(const Context& context, const LinearInputs& inputs,
                              const LinearUnit& unit, bool want_residuals);
/// The same, without residuals, for a regression that is already known.
LinearUnitFit use_linear_fit(const LinearInputs& inputs, const LinearUnit& unit,
                             const LinearFit& fit);

}  // namespace cone

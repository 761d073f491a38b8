#pragma once

#include <memory>
#include <vector>

#include "cone/learn.hpp"

#include "nuisance/linear_fit.hpp"

namespace cone {

/// ImpliedWeights::variance: Σ_j v_j²·r_j² / (number of scored nodes)², from one squared residual
/// per node of the data. Skips nodes of weight zero, whose residual may be NaN.
double noise_variance(const Context& context, std::span<const double> weights,
                      std::span<const double> squared_residuals, std::size_t num_scored);

/// The implied weights of least squares and ridge: their predictions are linear in the outcomes of
/// the nodes fitted on. Keeps the smoothers that it is given; a regression without one is
/// factorised again by imply_weights().
class LinearVariance : public FitVariance {
 public:
  /// squared_residuals: one per node of the data.
  LinearVariance(std::shared_ptr<const LinearInputs> inputs, std::vector<LinearUnit> units,
                 std::vector<std::unique_ptr<LinearSmoother>> smoothers,
                 std::vector<double> squared_residuals);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

 private:
  /// Policies × the nodes that the unit was fitted on.
  Matrix<double> imply_unit_weights(const Context& context, std::size_t unit,
                                    std::span<const MatrixView<const double>> policies,
                                    bool& converged) const;

  std::shared_ptr<const LinearInputs> inputs_;
  std::vector<LinearUnit> units_;
  std::vector<std::unique_ptr<LinearSmoother>> smoothers_;  ///< nullptr where not kept
  std::vector<double> squared_residuals_;
};

}  // namespace cone

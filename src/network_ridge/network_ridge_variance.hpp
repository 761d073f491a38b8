#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {

/// The weights that the network ridge implies for policy values, and their variances. The data and
/// the plan must outlive it.
class NetworkRidgeVariance : public FitVariance {
 public:
  /// mu: predicted outcomes, scored nodes × arms.
  NetworkRidgeVariance(std::shared_ptr<const NetworkRidge> model, const Dataset& data,
                       const FitPlan& plan, const Matrix<double>& mu);

  const NetworkRidge& model() const { return *model_; }

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

 private:
  /// Adds the weights that the tasks of a part imply.
  void add_part(const Context& context, const RidgePart& part,
                std::span<const MatrixView<const double>> policies,
                std::vector<std::vector<double>>& weights, bool& converged) const;
  double noise_at(NodeIndex node, std::size_t arm) const;
  /// The covariance, under the model, of the residual imbalance of the random effects across
  /// policies: policies × policies, in squared units of the policy value.
  Matrix<double> expect_imbalance(const Context& context,
                                  std::span<const MatrixView<const double>> policies,
                                  const std::vector<std::vector<double>>& weights) const;
  /// The noise variance of the likelihood over the variance of the residuals, per arm, at most 1.
  std::vector<double> noise_to_residual_ratio() const;

  std::shared_ptr<const NetworkRidge> model_;
  const Dataset& data_;
  const FitPlan& plan_;
  std::vector<ResidualVariance> residual_;  ///< one per arm
};

/// The network ridge that an outcome model was fitted with; nullptr: none, or it is not kept.
inline const NetworkRidge* ridge_of(const OutcomeTable& outcome) {
  const auto* fitted = dynamic_cast<const NetworkRidgeVariance*>(outcome.variance.get());
  return fitted != nullptr ? &fitted->model() : nullptr;
}

}  // namespace cone

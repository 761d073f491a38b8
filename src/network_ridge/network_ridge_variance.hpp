#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {

/// What the network ridge's values rest on. The data and the plan must outlive it.
class NetworkRidgeVariance : public FitVariance {
 public:
  /// mu: scored nodes × arms, as predicted.
  NetworkRidgeVariance(std::shared_ptr<const NetworkRidge> model, const Dataset& data,
                       const FitPlan& plan, const Matrix<double>& mu);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

 private:
  /// Adds what the tasks of a part contribute, at positions.
  void add_part(const Context& context, const RidgePart& part,
                std::span<const MatrixView<const double>> policies,
                std::vector<std::vector<double>>& weights, bool& converged) const;
  double noise_at(NodeIndex node, std::size_t arm) const;
  /// The covariance of what the effects leave, policies × policies, in the unit of the value.
  Matrix<double> expect_imbalance(const Context& context,
                                  std::span<const MatrixView<const double>> policies,
                                  const std::vector<std::vector<double>>& weights) const;
  /// The likelihood's noise over the residuals' variance, per arm, at most 1.
  std::vector<double> share_of_noise() const;

  std::shared_ptr<const NetworkRidge> model_;
  const Dataset& data_;
  const FitPlan& plan_;
  std::vector<ResidualVariance> residual_;  ///< one per arm
};

}  // namespace cone

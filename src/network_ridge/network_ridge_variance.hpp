#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge.hpp"

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
                                       std::span<const double> relative_degree);

/// What the network ridge's values rest on. The data and the plan must outlive it.
class NetworkRidgeVariance : public FitVariance {
 public:
  /// mu: scored nodes × arms, as predicted.
  NetworkRidgeVariance(std::shared_ptr<const NetworkRidge> model, const Dataset& data,
                       const FitPlan& plan, const Matrix<double>& mu);

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override;

 private:
  /// Adds what the tasks of a part contribute, at places.
  void add_part(const Context& context, const RidgePart& part,
                std::span<const MatrixView<const double>> policies,
                std::vector<std::vector<double>>& weights, bool& converged) const;
  double noise_at(NodeIndex node, std::size_t arm) const;

  std::shared_ptr<const NetworkRidge> model_;
  const Dataset& data_;
  const FitPlan& plan_;
  std::vector<ResidualVariance> residual_;  ///< one per arm
};

}  // namespace cone

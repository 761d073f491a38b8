#pragma once

#include <span>
#include <vector>

#include "cone/learn.hpp"

#include "distributed/rank_solver.hpp"
#include "distributed/rank_system.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone::distributed {

/// Predictions and implied weights of the network ridge for the nodes of this rank: counterpart of
/// NetworkRidgeLearner and NetworkRidgeVariance in one process.
class RankModel {
 public:
  RankModel(const Context& context, const RankSystem& system, const RankSolver& solver);

  const Matrix<double>& mu() const { return mu_; }  ///< positions × arms
  std::size_t iterations() const { return iterations_; }
  bool converged() const { return converged_; }

  /// Weights of this rank's nodes; variances and imbalance are over all ranks.
  std::vector<ImpliedWeights> imply_weights(const Context& context,
                                            std::span<const Matrix<double>> policies) const;

 private:
  void predict(const Context& context);
  void measure_noise();
  /// Weights by policy and position.
  std::vector<std::vector<double>> solve_weights(const Context& context,
                                                 std::span<const Matrix<double>> policies,
                                                 bool& converged) const;
  Matrix<double> expect_imbalance(const Context& context, std::span<const Matrix<double>> policies,
                                  std::span<const std::vector<double>> weights) const;
  std::vector<double> noise_to_residual_ratio() const;

  const RankSystem& system_;
  const RankSolver& solver_;
  Matrix<double> mu_;
  Matrix<double> noise_;                    ///< its variance, positions × arms
  std::vector<ResidualVariance> residual_;  ///< one per arm
  std::size_t iterations_ = 0;
  bool converged_ = true;
};

}  // namespace cone::distributed

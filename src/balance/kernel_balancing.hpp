#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

// Optimal kernel balancing (Bennett and Kallus 2019, "Policy evaluation with latent confounders via
// optimal balance"; Kallus 2018, "Balanced policy evaluation and learning"; docs/method.md, section
// 5): weights W of the logged outcomes that balance all functions in the reproducing kernel Hilbert
// space of a Gaussian kernel between the weighted logged sample and the policy,
//
//   minimise W'GW − a'W,   G_ij = K_ij·1{t_i = t_j} + λ·1{i = j},   a_i = 2 Σ_j K_ij π(t_i | j),
//
// and the value is the mean of W_i y_i. No propensities are fitted.

namespace cone {

/// Balances one logged sample for any number of policies. Memory: n × n kernel values and a factor
/// of each arm's block of them, half as much again for two arms of equal size; during a solve,
/// another copy of one arm's block. Results are bitwise equal at any number of threads.
class KernelBalancing {
 public:
  /// More nodes than this would need more than 3 GB for the kernel, and 6 GB in all.
  static constexpr std::size_t kMaxNodes = 20000;

  /// One row of features per node: raw features or a learnt representation. Throws Error(kUsage)
  /// for invalid options or too many nodes. Where the options do not set λ, choose_lambda() must
  /// follow.
  KernelBalancing(const Context& context, const SparseMatrix& features,
                  std::span<const std::uint8_t> treatment, std::size_t num_arms,
                  const KernelBalancingOptions& options);
  KernelBalancing(const Context& context, MatrixView<const double> features,
                  std::span<const std::uint8_t> treatment, std::size_t num_arms,
                  const KernelBalancingOptions& options);

  std::size_t num_nodes() const { return order_.size(); }
  /// λ, given or chosen.
  double lambda() const { return lambda_; }
  /// h, in the features' own unit.
  double bandwidth() const { return bandwidth_; }

  /// Sets λ to the one of 0.001, 0.2, 1 and 5 (the authors' values) with the least leave-one-out
  /// error of the arms' kernel ridge regressions of the outcomes, unless the options set λ.
  void choose_lambda(const Context& context, std::span<const double> outcome);

  /// Mean squared leave-one-out error of the arms' kernel ridge regressions.
  double leave_one_out_error(std::span<const double> outcome) const;

  /// W for a policy π(a | i), nodes × arms. The sum of a row is the node's survey weight, 1
  /// without.
  std::vector<double> weights(const Context& context, MatrixView<const double> policy) const;

  /// The value is NaN where the policy assigns an arm without nodes.
  BalancedValue value(const Context& context, std::span<const double> outcome,
                      MatrixView<const double> policy) const;

 private:
  struct ArmPart {
    std::size_t begin = 0;  ///< first position in the order by arm
    std::size_t size = 0;
    Matrix<double> factor;                 ///< lower Cholesky factor of K + λI of the arm
    std::vector<double> inverse_diagonal;  ///< of (K + λI)⁻¹
  };

  template <class Rows>
  void build(const Context& context, const Rows& rows, std::span<const std::uint8_t> treatment);
  /// K + λI of every arm.
  void factorise_arms(const Context& context, double lambda);
  /// From the factors; costs as much as they do.
  void find_inverse_diagonals(const Context& context);
  /// Coefficients of an arm's kernel ridge regression, by position within the arm.
  std::vector<double> coefficients(const ArmPart& arm, std::span<const double> outcome,
                                   double origin) const;
  double origin(std::span<const double> outcome) const;
  /// a, by position.
  std::vector<double> target(const Context& context, MatrixView<const double> policy) const;

  KernelBalancingOptions options_;
  double bandwidth_ = 0;
  double lambda_ = 0;               ///< 0 until it is set
  std::vector<std::size_t> order_;  ///< node at each position: arm by arm
  Matrix<double> kernel_;           ///< by position
  std::vector<ArmPart> arms_;
};

}  // namespace cone

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/features.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/settings.hpp"

// Optimal kernel balancing (Bennett and Kallus 2019; docs/method.md, section 5): weights W of the
// logged outcomes that make the weighted sample look like the policy's to every function of a
// Gaussian kernel,
//
//   minimise W'GW − a'W,   G_ij = K_ij·1{t_i = t_j} + λ·1{i = j},   a_i = 2 Σ_j K_ij π(t_i | j),
//
// and the value is the mean of W_i y_i. No propensities are fitted.

namespace cone {

/// The value of a policy and what it rests on.
struct BalancedValue {
  double value = 0;  ///< the mean of W·y
  /// m_i + W_i·r_i, centred: m is what kernel ridge
  /// regression, one fit per arm with the same K and λ, expects of the policy at node i, and r_i is
  /// the residual of node i in the fit of its arm without it. So the standard error holds the
  /// spread of the nodes and the noise of the outcomes at these weights; it takes treatments and
  /// weights as given and knows nothing of the bias that λ buys.
  std::vector<double> influence;
  /// W, one per node: for the effective sample size, the largest weight.
  std::vector<double> weights;
};

/// Balances one logged sample; built once, then asked about any number of policies. Holds n × n
/// kernel values and a factor of each arm's part of them, half as much again where the arms are of
/// one size; while it solves, another copy of one arm's part. Results are bitwise equal at any
/// number of threads.
class KernelBalancing {
 public:
  /// More nodes than this would need more than 3 GB for the kernel, and 6 GB in all.
  static constexpr std::size_t kMaxNodes = 20000;

  /// One row of features per node: raw features or a learned representation. Throws Error(kUsage)
  /// for invalid options or too many nodes. Where the options leave λ open, choose_lambda() must
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

  /// Takes that of 0.001, 0.2, 1 and 5 (the authors' choices) with the least leave-one-out error of
  /// the two arms' kernel ridge regressions of the outcomes, unless the options name a λ.
  void choose_lambda(const Context& context, std::span<const double> outcome);

  /// Mean squared error of predicting each node by the regression of its arm without it.
  double leave_one_out_error(std::span<const double> outcome) const;

  /// W for a policy π(a | i), nodes × arms. Rows that do not sum to 1 count as many units as they
  /// sum to.
  std::vector<double> weights(const Context& context, MatrixView<const double> policy) const;

  /// The value is NaN where the policy takes an arm that has no nodes.
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
  /// From the factors, as dear as these.
  void find_inverse_diagonals(const Context& context);
  /// Coefficients of an arm's kernel ridge regression, by position within the arm.
  std::vector<double> coefficients(const ArmPart& arm, std::span<const double> outcome,
                                   double origin) const;
  double origin(std::span<const double> outcome) const;
  /// a, by position.
  std::vector<double> target(const Context& context, MatrixView<const double> policy) const;

  KernelBalancingOptions options_;
  double bandwidth_ = 0;
  double lambda_ = 0;               ///< 0 until it is known
  std::vector<std::size_t> order_;  ///< node at each position: arm by arm
  Matrix<double> kernel_;           ///< by position
  std::vector<ArmPart> arms_;
};

}  // namespace cone

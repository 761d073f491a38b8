#include "balance/kernel_balancing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "cone/error.hpp"
#include "cone/options.hpp"

#include "balance/balancing_program.hpp"
#include "balance/cholesky.hpp"
#include "balance/kernel_matrix.hpp"
#include "base/numeric.hpp"
#include "exec/large_matrix.hpp"

namespace cone {
namespace {

constexpr std::size_t kKernelRowsPerTask = 128;
constexpr std::array kLambdas = {0.001, 0.2, 1.0, 5.0};

void check_size(std::size_t num_nodes) {
  if (num_nodes <= KernelBalancing::kMaxNodes) return;
  Fault fault;
  fault.what = "kernel balancing needs a kernel between all pairs of nodes; " +
               std::to_string(num_nodes) + " nodes exceed its limit of " +
               std::to_string(KernelBalancing::kMaxNodes);
  fault.advice = "leave out this estimator, or evaluate on a sample of the nodes";
  throw Error(ErrorCode::kUsage, std::move(fault));
}

MatrixView<const double> diagonal_block(const Matrix<double>& matrix, std::size_t begin,
                                        std::size_t size) {
  return {matrix.data() + begin * matrix.cols() + begin, size, size, matrix.cols()};
}

}  // namespace

KernelBalancing::KernelBalancing(const Context& context, const SparseMatrix& features,
                                 std::span<const std::uint8_t> treatment, std::size_t num_arms,
                                 const KernelBalancingOptions& options)
    : options_(options), arms_(num_arms) {
  build(context, features, treatment);
}

KernelBalancing::KernelBalancing(const Context& context, MatrixView<const double> features,
                                 std::span<const std::uint8_t> treatment, std::size_t num_arms,
                                 const KernelBalancingOptions& options)
    : options_(options), arms_(num_arms) {
  build(context, features, treatment);
}

template <class Rows>
void KernelBalancing::build(const Context& context, const Rows& rows,
                            std::span<const std::uint8_t> treatment) {
  validate(options_);
  require(rows.rows() == treatment.size(),
          "kernel balancing: features and treatments differ in length");
  check_size(treatment.size());
  for (std::size_t arm = 0; arm < arms_.size(); ++arm) {
    arms_[arm].begin = order_.size();
    for (std::size_t i = 0; i < treatment.size(); ++i) {
      if (treatment[i] == arm) order_.push_back(i);
    }
    arms_[arm].size = order_.size() - arms_[arm].begin;
  }

  kernel_ = squared_distances(context, rows, order_);
  bandwidth_ = options_.kernel_bandwidth;
  if (options_.kernel_unit == BandwidthUnit::kMedian) {
    bandwidth_ *= median_distance(context, kernel_);
  }
  apply_gaussian_kernel(context, bandwidth_, kernel_);

  if (options_.kernel_lambda > 0) {
    factorise_arms(context, options_.kernel_lambda);
    find_inverse_diagonals(context);
  }
}

void KernelBalancing::factorise_arms(const Context& context, double lambda) {
  lambda_ = lambda;
  for (ArmPart& arm : arms_) {
    const MatrixView<const double> block = diagonal_block(kernel_, arm.begin, arm.size);
    // Reuses the memory of the last factor, which is as large as the kernel of the arm.
    if (arm.factor.rows() != arm.size) {
      arm.factor = make_zero_matrix(context, arm.size, arm.size);
    }
    context.for_each_range(arm.size, kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::span<const double> row = block.row(i).first(i + 1);
        std::copy(row.begin(), row.end(), arm.factor.row(i).begin());
        arm.factor(i, i) += lambda;
      }
    });
    factorise(context, arm.factor);
  }
}

void KernelBalancing::find_inverse_diagonals(const Context& context) {
  for (ArmPart& arm : arms_) arm.inverse_diagonal = inverse_diagonal(context, arm.factor);
}

void KernelBalancing::choose_lambda(const Context& context, std::span<const double> outcome) {
  if (options_.kernel_lambda > 0) return;
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  std::vector<std::vector<double>> diagonals(
      arms_.size());  // of the best λ; storing its factors would take too much memory
  for (std::size_t k = 0; k < kLambdas.size(); ++k) {
    const double candidate = kLambdas[k];
    context.report("balancing", k, kLambdas.size());
    factorise_arms(context, candidate);
    find_inverse_diagonals(context);
    const double error = leave_one_out_error(outcome);
    if (best > 0 && error >= least) continue;
    least = error;
    best = candidate;
    for (std::size_t a = 0; a < arms_.size(); ++a) diagonals[a] = arms_[a].inverse_diagonal;
  }
  if (best == lambda_) return;
  factorise_arms(context, best);
  for (std::size_t a = 0; a < arms_.size(); ++a) {
    arms_[a].inverse_diagonal = std::move(diagonals[a]);
  }
}

double KernelBalancing::origin(std::span<const double> outcome) const {
  // With weights of mean 1 a shift of the outcomes is a shift of the value, so the regression may
  // be centred at their mean; without, the regression is the estimator and is centred at 0.
  return options_.kernel_normalised ? mean(outcome) : 0;
}

std::vector<double> KernelBalancing::coefficients(const ArmPart& arm,
                                                  std::span<const double> outcome,
                                                  double origin) const {
  require(lambda_ > 0, "kernel balancing: lambda has not been chosen");
  std::vector<double> y;
  for (std::size_t i = 0; i < arm.size; ++i) y.push_back(outcome[order_[arm.begin + i]] - origin);
  solve_with_factor(arm.factor, y);
  return y;
}

double KernelBalancing::leave_one_out_error(std::span<const double> outcome) const {
  require(outcome.size() == num_nodes(),
          "kernel balancing: outcomes and treatments differ in length");
  double squares = 0;
  for (const ArmPart& arm : arms_) {
    const std::vector<double> alpha = coefficients(arm, outcome, origin(outcome));
    for (std::size_t i = 0; i < arm.size; ++i) {
      const double residual = alpha[i] / arm.inverse_diagonal[i];
      squares += residual * residual;
    }
  }
  return squares / static_cast<double>(num_nodes());
}

std::vector<double> KernelBalancing::target(const Context& context,
                                            MatrixView<const double> policy) const {
  std::vector<double> result(order_.size());
  std::vector<double> taken(order_.size());  // π(arm | node), by position
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    for (std::size_t p = 0; p < order_.size(); ++p) taken[p] = policy(order_[p], k);
    const ArmPart& arm = arms_[k];
    context.for_each_range(arm.size, kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        result[arm.begin + i] = 2 * dot(kernel_.row(arm.begin + i), taken);
      }
    });
  }
  return result;
}

std::vector<double> KernelBalancing::weights(const Context& context,
                                             MatrixView<const double> policy) const {
  require(lambda_ > 0, "kernel balancing: lambda has not been chosen");
  require(policy.rows() == num_nodes() && policy.cols() == arms_.size(),
          "kernel balancing: the policy is not of these nodes and arms");
  const std::vector<double> a = target(context, policy);
  const auto part = [&](const ArmPart& arm) {
    return std::span<const double>(a).subspan(arm.begin, arm.size);
  };
  std::vector<double> result(num_nodes());
  const auto keep = [&](const ArmPart& arm, std::span<const double> weights) {
    for (std::size_t i = 0; i < arm.size; ++i) result[order_[arm.begin + i]] = weights[i];
  };
  if (num_nodes() == 0) return result;

  if (!options_.kernel_normalised) {
    for (const ArmPart& arm : arms_) {
      std::vector<double> half(arm.size);
      for (std::size_t i = 0; i < arm.size; ++i) half[i] = 0.5 * a[arm.begin + i];
      solve_with_factor(arm.factor, half);
      keep(arm, half);
    }
    return result;
  }

  std::vector<ArmProgram> programs;
  for (const ArmPart& arm : arms_) {
    programs.emplace_back(context, diagonal_block(kernel_, arm.begin, arm.size), lambda_, part(arm),
                          arm.factor);
  }
  double total = 0;  // the number of nodes, or of units where survey weights apply
  for (std::size_t i = 0; i < policy.rows(); ++i) total += total_probability(policy.row(i));
  if (total == 0) return result;
  solve_for_total(programs, *std::max_element(a.begin(), a.end()), total);
  for (std::size_t k = 0; k < arms_.size(); ++k) keep(arms_[k], programs[k].weights());
  const double reached = sum(result);
  require(std::abs(reached - total) <= 1e-6 * total,
          "kernel balancing: the weights do not sum to their total");
  for (double& weight : result) weight *= total / reached;
  return result;
}

BalancedValue KernelBalancing::value(const Context& context, std::span<const double> outcome,
                                     MatrixView<const double> policy) const {
  require(outcome.size() == num_nodes(),
          "kernel balancing: outcomes and treatments differ in length");
  BalancedValue result;
  result.weights = weights(context, policy);
  std::vector<std::vector<double>> alpha(arms_.size());
  std::vector<double> residual(num_nodes());
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    const ArmPart& arm = arms_[k];
    alpha[k] = coefficients(arm, outcome, origin(outcome));
    for (std::size_t i = 0; i < arm.size; ++i) {
      residual[order_[arm.begin + i]] = alpha[k][i] / arm.inverse_diagonal[i];  // leave-one-out
    }
  }

  result.influence.resize(num_nodes());
  context.for_each_range(num_nodes(), kKernelRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      const std::size_t node = order_[p];
      double expected = 0;
      for (std::size_t k = 0; k < arms_.size(); ++k) {
        expected +=
            policy(node, k) * dot(kernel_.row(p).subspan(arms_[k].begin, arms_[k].size), alpha[k]);
      }
      result.influence[node] = expected + result.weights[node] * residual[node];
    }
  });
  const double centre = mean(result.influence);
  for (double& contribution : result.influence) contribution -= centre;

  std::vector<double> weighted(num_nodes());
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] = result.weights[i] * outcome[i];
  result.value = mean(weighted);
  for (std::size_t k = 0; k < arms_.size(); ++k) {
    bool takes_arm = false;
    for (std::size_t i = 0; i < policy.rows(); ++i) takes_arm |= policy(i, k) > 0;
    if (arms_[k].size == 0 && takes_arm) {
      result.value = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return result;
}

}  // namespace cone

#include "balance/balancing_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <cblas.h>

#include "cone/error.hpp"

#include "balance/cholesky.hpp"
#include "base/numeric.hpp"
#include "exec/large_matrix.hpp"
#include "exec/one_blas_thread.hpp"

namespace cone {
namespace {

/// Block exchanges without a decrease of infeasible indices before Murty's rule takes over.
constexpr int kPatience = 5;
constexpr std::size_t kStepsPerNode = 20;
constexpr int kMaxPrices = 200;
/// Newton's method on a piecewise linear function ends within a few pieces; bisection is the
/// fallback.
constexpr int kMaxNewtonPrices = 40;
constexpr double kTotalTolerance = 1e-12;
constexpr std::size_t kCopiedRowsPerTask = 128;

double largest_magnitude_of(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return largest;
}

}  // namespace

ArmProgram::ArmProgram(const Context& context, MatrixView<const double> kernel, double lambda,
                       std::span<const double> target, const Matrix<double>& factor)
    : context_(context),
      kernel_(kernel),
      lambda_(lambda),
      target_(target),
      factor_(factor),
      // The relative error of a solve: the condition number is at most (size + λ) / λ.
      tolerance_(std::clamp(1e-15 * static_cast<double>(kernel.rows()) / lambda, 1e-13, 1e-8)),
      free_(kernel.rows(), true),
      weights_(kernel.rows(), 0.0) {
  refit();
}

void ArmProgram::refit() {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i]) kept.push_back(i);
  }
  std::vector<double> base(kept.size());
  std::vector<double> per_price(kept.size(), 0.5);
  for (std::size_t k = 0; k < kept.size(); ++k) base[k] = 0.5 * target_[kept[k]];
  if (kept.size() == free_.size()) {
    solve_with_factor(factor_, base);
    solve_with_factor(factor_, per_price);
  } else {
    Matrix<double> part = make_zero_matrix(context_, kept.size(), kept.size());
    context_.for_each_range(kept.size(), kCopiedRowsPerTask,
                            [&](std::size_t begin, std::size_t end) {
                              for (std::size_t k = begin; k < end; ++k) {
                                const std::span<const double> row = kernel_.row(kept[k]);
                                for (std::size_t l = 0; l <= k; ++l) part(k, l) = row[kept[l]];
                                part(k, k) += lambda_;
                              }
                            });
    factorise(context_, part);
    solve_with_factor(part, base);
    solve_with_factor(part, per_price);
  }
  base_.assign(free_.size(), 0.0);
  per_price_.assign(free_.size(), 0.0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    base_[kept[k]] = base[k];
    per_price_[kept[k]] = per_price[k];
  }
}

void ArmProgram::set_weights(double price) {
  for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = base_[i] + price * per_price_[i];
}

std::vector<std::size_t> ArmProgram::infeasible_indices(double price) const {
  if (weights_.empty()) return {};
  // Half the gradient at the weights that are zero: K·W − (a + ν) / 2.
  std::vector<double> half_gradient(weights_.size());
  const int size = static_cast<int>(weights_.size());
  {
    const OneBlasThread guard;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, size, size, 1.0, kernel_.data(),
                static_cast<int>(kernel_.stride()), weights_.data(), 1, 0.0, half_gradient.data(),
                1);
  }
  const double least_weight = -tolerance_ * largest_magnitude_of(weights_);
  const double least_gradient = -tolerance_ * (largest_magnitude_of(target_) + std::abs(price));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const bool wrong = free_[i] ? weights_[i] < least_weight
                                : half_gradient[i] - 0.5 * (target_[i] + price) < least_gradient;
    if (wrong) found.push_back(i);
  }
  return found;
}

void ArmProgram::solve(double price) {
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  int patience = kPatience;
  // Murty's rule ends after finitely many steps in exact arithmetic only.
  const std::size_t most_steps = kStepsPerNode * (weights_.size() + 1);
  for (std::size_t step = 0;; ++step) {
    context_.poll();
    require(step < most_steps, "kernel balancing: the weights do not converge");
    set_weights(price);
    const std::vector<std::size_t> wrong = infeasible_indices(price);
    if (wrong.empty()) break;
    if (wrong.size() < fewest) {
      fewest = wrong.size();
      patience = kPatience;
    } else {
      --patience;
    }
    if (patience > 0) {
      for (const std::size_t i : wrong) free_[i] = !free_[i];
    } else {
      free_[wrong.back()] = !free_[wrong.back()];
    }
    refit();
  }
  for (double& weight : weights_) weight = std::max(weight, 0.0);
}

double ArmProgram::total() const { return sum(weights_); }

double ArmProgram::slope() const { return sum(per_price_); }

void solve_for_total(std::span<ArmProgram> arms, double largest_target, double total) {
  double price = 0;
  double low = -largest_target;  // all weights are zero at this price
  double high = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMaxPrices; ++k) {
    double missing = total;
    double slope = 0;
    for (ArmProgram& arm : arms) {
      arm.solve(price);
      missing -= arm.total();
      slope += arm.slope();
    }
    if (std::abs(missing) <= kTotalTolerance * total) return;
    (missing > 0 ? low : high) = price;
    double next = price + missing / slope;
    if (!(next > low && next < high) || k >= kMaxNewtonPrices) {
      next = std::isfinite(high) ? 0.5 * (low + high) : low + 2 * std::abs(low) + 1;
    }
    if (next == low || next == high) return;  // to rounding
    price = next;
  }
}

}  // namespace cone

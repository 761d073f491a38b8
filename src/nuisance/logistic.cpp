#include "cone/nuisance/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone/base/error.hpp"
#include "cone/base/numeric.hpp"

#include "nuisance/logistic_solver.hpp"

namespace cone {
namespace {

constexpr int kMaxNewtonSteps = 200;
constexpr int kMaxInnerIterations = 500;
/// Share of the decrease that the gradient promises which a step must deliver (Armijo).
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxHalvings = 40;
/// Rounding keeps the gradient from falling much further below that of the null model.
constexpr double kGradientFloor = 1e-4;

/// log(1 + exp(x)) without overflow.
}  // namespace

LogisticSolver::LogisticSolver(const SparseMatrix& x, std::span<const std::uint8_t> labels)
    : x_(x),
      label_(labels.begin(), labels.end()),
      point_(x_.cols() + 1, 0.0),
      probability_(x_.rows()),
      row_scratch_(x_.rows()) {
  require(label_.size() == x_.rows(), "logistic regression: X and labels differ in length");
  const double share = sum(label_) / static_cast<double>(label_.size());
  if (!(share > 0 && share < 1)) {
    Fault fault;
    fault.what = fmt::format("logistic regression on {} nodes, all of them {}", label_.size(),
                             share > 0 ? "treated" : "untreated");
    fault.advice = "use fewer folds, or bring logged propensities";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  point_.back() = std::log(share / (1 - share));
}

double LogisticSolver::evaluate(double c, std::span<const double> point) {
  const std::span<const double> w = point.first(x_.cols());
  x_.multiply(w, row_scratch_);
  double loss = 0;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    const double logit = row_scratch_[i] + point.back();
    probability_[i] = sigmoid(logit);
    loss += softplus(label_[i] > 0 ? -logit : logit);
  }
  return 0.5 * dot(w, w) + c * loss;
}

double LogisticSolver::gradient(double c, std::span<const double> point, std::span<double> out) {
  double total = 0;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    row_scratch_[i] = c * (probability_[i] - label_[i]);
    total += row_scratch_[i];
  }
  x_.multiply_transposed(row_scratch_, out.first(x_.cols()));
  for (std::size_t j = 0; j < x_.cols(); ++j) out[j] += point[j];
  out.back() = total;
  return std::sqrt(dot(out, out));
}

void LogisticSolver::newton_step(double c, std::span<const double> gradient, double tolerance,
                                 std::span<double> step) {
  const std::size_t size = step.size();
  std::vector<double> curvature(label_.size());
  double total_curvature = 0;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    curvature[i] = c * probability_[i] * (1 - probability_[i]);
    total_curvature += curvature[i];
  }
  // The diagonal of the Hessian, with every row's curvature replaced by the mean one: close
  // enough to precondition with, and positive even where all probabilities have saturated.
  const double mean_curvature = total_curvature / static_cast<double>(label_.size());
  std::vector<double> diagonal(size);
  for (std::size_t j = 0; j + 1 < size; ++j) {
    diagonal[j] = 1.0 + mean_curvature * x_.sums_of_squares()[j];
  }
  diagonal.back() = std::max(total_curvature, std::numeric_limits<double>::min());

  std::vector<double> residual(size);
  std::vector<double> scaled(size);
  for (std::size_t j = 0; j < size; ++j) {
    step[j] = 0;
    residual[j] = -gradient[j];
    scaled[j] = residual[j] / diagonal[j];
  }
  std::vector<double> direction = scaled;
  std::vector<double> image(size);
  double size_squared = dot(residual, scaled);
  const double target = tolerance * tolerance * size_squared;
  for (int iteration = 0; iteration < kMaxInnerIterations && size_squared > target; ++iteration) {
    x_.multiply({direction.data(), size - 1}, row_scratch_);
    double total = 0;
    for (std::size_t i = 0; i < label_.size(); ++i) {
      row_scratch_[i] = curvature[i] * (row_scratch_[i] + direction.back());
      total += row_scratch_[i];
    }
    x_.multiply_transposed(row_scratch_, {image.data(), size - 1});
    for (std::size_t j = 0; j + 1 < size; ++j) image[j] += direction[j];
    image.back() = total;
    const double bend = dot(direction, image);
    if (!(bend > 0)) break;
    const double length = size_squared / bend;
    for (std::size_t j = 0; j < size; ++j) {
      step[j] += length * direction[j];
      residual[j] -= length * image[j];
      scaled[j] = residual[j] / diagonal[j];
    }
    const double next = dot(residual, scaled);
    for (std::size_t j = 0; j < size; ++j) {
      direction[j] = scaled[j] + next / size_squared * direction[j];
    }
    size_squared = next;
  }
}

LogisticFit LogisticSolver::fit(double c, double tolerance) {
  require(c >= 0 && std::isfinite(c), "logistic regression: C must be finite and not negative");
  const std::size_t size = point_.size();
  std::vector<double> gradient_now(size);
  std::vector<double> step(size);
  std::vector<double> candidate(size);

  std::fill(candidate.begin(), candidate.end(), 0.0);
  candidate.back() = std::log(sum(label_) / (static_cast<double>(label_.size()) - sum(label_)));
  const double null_value = evaluate(c, candidate);
  const double null_norm = gradient(c, candidate, gradient_now);
  // Residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds the gradient and with it its rounding error:
  // where features and labels are orthogonal that is all the gradient there is.
  const auto num_rows = static_cast<double>(label_.size());
  const double rounding = std::numeric_limits<double>::epsilon() * c *
                          std::sqrt(num_rows * (num_rows + sum(x_.sums_of_squares())));
  double value = evaluate(c, point_);
  if (!(value <= null_value)) {
    point_ = candidate;
    value = evaluate(c, point_);
  }

  LogisticFit fit;
  while (true) {
    const double norm = gradient(c, point_, gradient_now);
    const std::span<const double> slopes(point_.data(), size - 1);
    const double scale = std::max(std::sqrt(dot(slopes, slopes)), kGradientFloor * null_norm);
    fit.converged = norm <= std::max(tolerance * std::min(scale, null_norm), rounding);
    if (fit.converged || fit.iterations == kMaxNewtonSteps) break;
    // Solving the step no better than the gradient deserves saves most of the inner iterations
    // early on and keeps superlinear convergence at the end.
    newton_step(c, gradient_now, std::min(0.1, std::sqrt(norm / null_norm)), step);
    const double slope = dot(gradient_now, step);
    double length = 1;
    double next_value = value;
    int halvings = 0;
    for (; halvings < kMaxHalvings; ++halvings, length /= 2) {
      for (std::size_t j = 0; j < size; ++j) candidate[j] = point_[j] + length * step[j];
      next_value = evaluate(c, candidate);
      // Next to the minimum the decrease drowns in rounding: allow for it.
      const double slack = 1e-14 * std::abs(value);
      if (next_value <= value + kSufficientDecrease * length * slope + slack) break;
    }
    ++fit.iterations;
    if (halvings == kMaxHalvings) {
      evaluate(c, point_);
      break;
    }
    point_ = candidate;
    value = next_value;
  }
  const std::span<const double> w(point_.data(), size - 1);
  fit.intercept = point_.back() + x_.intercept_shift(w);
  fit.coefficients = x_.expand(w);
  return fit;
}

LogisticFit fit_logistic(const SparseMatrix& x, std::span<const std::uint8_t> labels, double c,
                         double tolerance) {
  return LogisticSolver(x, labels).fit(c, tolerance);
}

}  // namespace cone

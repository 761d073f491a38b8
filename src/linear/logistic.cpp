#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/numeric.hpp"
#include "linear/logistic_solver.hpp"

namespace cone {
namespace {

constexpr int kMaxNewtonSteps = 200;
constexpr std::size_t kMaxInnerIterations = 500;
/// Share of the decrease that the gradient promises which a step must deliver (Armijo).
constexpr double kSufficientDecrease = 1e-4;
constexpr int kMaxHalvings = 40;
/// Rounding keeps the gradient from falling much further below that of the null model.
constexpr double kGradientFloor = 1e-4;
/// Changes of the objective below this share of it cannot be told from rounding.
constexpr double kValueRounding = 1e-12;
/// Steps within rounding that may pass without halving the gradient.
constexpr int kMaxIdleSteps = 2;
/// Rows of a pass after which it asks whether to go on: a fraction of a millisecond.
constexpr std::size_t kRowsPerPoll = 4096;

}  // namespace

LogisticSolver::LogisticSolver(const Context& context, const FeatureMatrix& x,
                               std::span<const std::uint8_t> labels)
    : context_(context),
      x_(context, x),
      label_(labels.begin(), labels.end()),
      point_(x_.cols() + 1, 0.0),
      probability_(x_.rows()),
      row_scratch_(x_.rows()) {
  context.poll();
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
  null_point_ = point_;
  null_loss_ = evaluate(1, null_point_);
  std::vector<double> slopes(point_.size());
  null_gradient_norm_ = gradient(1, null_point_, slopes);
}

double LogisticSolver::evaluate(double c, std::span<const double> point) {
  const std::span<const double> w = point.first(x_.cols());
  x_.multiply(w, row_scratch_);
  CompensatedSum loss;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    if (i % kRowsPerPoll == 0) context_.poll();
    const double logit = row_scratch_[i] + point.back();
    const double odds = std::exp(-std::abs(logit));  // of the less likely label
    probability_[i] = (logit > 0 ? 1 : odds) / (1 + odds);
    loss.add(std::log1p(odds) + std::max(label_[i] > 0 ? -logit : logit, 0.0));
  }
  return 0.5 * dot(w, w) + c * loss.value();
}

double LogisticSolver::gradient(double c, std::span<const double> point, std::span<double> out) {
  double total = 0;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    if (i % kRowsPerPoll == 0) context_.poll();
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
    if (i % kRowsPerPoll == 0) context_.poll();
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
  // In exact arithmetic as many iterations as unknowns are enough.
  const std::size_t most = std::min(kMaxInnerIterations, 2 * size + 10);
  for (std::size_t iteration = 0; iteration < most && size_squared > target; ++iteration) {
    context_.poll();
    x_.multiply({direction.data(), size - 1}, row_scratch_);
    double total = 0;
    for (std::size_t i = 0; i < label_.size(); ++i) {
      if (i % kRowsPerPoll == 0) context_.poll();
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
  std::vector<double> next_gradient(size);
  std::vector<double> step(size);
  std::vector<double> candidate(size);

  const double null_norm = c * null_gradient_norm_;
  // Residuals are below 1, so ‖X'r‖ ≤ ‖X‖√n bounds every partial sum of the gradient, and the
  // errors of n additions grow like √n: where features and labels are orthogonal that is all there
  // is.
  const auto num_rows = static_cast<double>(label_.size());
  const double rounding = std::numeric_limits<double>::epsilon() * c * num_rows *
                          std::sqrt(num_rows + sum(x_.sums_of_squares()));
  double value = evaluate(c, point_);
  if (!(value <= c * null_loss_)) {
    point_ = null_point_;
    value = evaluate(c, point_);
  }
  double norm = gradient(c, point_, gradient_now);

  LogisticFit fit;
  int idle_steps = 0;
  while (true) {
    context_.poll();
    const std::span<const double> slopes(point_.data(), size - 1);
    const double scale = std::max(std::sqrt(dot(slopes, slopes)), kGradientFloor * null_norm);
    fit.converged = norm <= std::max(tolerance * std::min(scale, null_norm), rounding);
    if (fit.converged || fit.iterations == kMaxNewtonSteps) break;
    // Solving the step no better than the gradient deserves saves most of the inner iterations
    // early on and keeps superlinear convergence at the end.
    newton_step(c, gradient_now, std::min(0.1, std::sqrt(norm / null_norm)), step);
    const double slope = dot(gradient_now, step);
    // Next to the minimum the decrease drowns in the rounding of the objective. The slope along the
    // step is still known there, and for a convex function it says the same (Hager and Zhang 2005):
    // it may turn, but not become as steep as it was.
    const bool drowns = -slope <= kValueRounding * value;
    double next_value = value;
    double length = 1;
    int halvings = 0;
    for (; halvings < kMaxHalvings; ++halvings, length /= 2) {
      context_.poll();
      for (std::size_t j = 0; j < size; ++j) candidate[j] = point_[j] + length * step[j];
      next_value = evaluate(c, candidate);
      if (drowns) {
        gradient(c, candidate, next_gradient);
        if (dot(next_gradient, step) <= (2 * kSufficientDecrease - 1) * slope) break;
      } else if (next_value <= value + kSufficientDecrease * length * slope) {
        gradient(c, candidate, next_gradient);
        break;
      }
    }
    ++fit.iterations;
    if (halvings == kMaxHalvings) {
      fit.converged = drowns;
      break;
    }
    const double next_norm = std::sqrt(dot(next_gradient, next_gradient));
    idle_steps = drowns && next_norm > 0.5 * norm ? idle_steps + 1 : 0;
    point_ = candidate;
    value = next_value;
    norm = next_norm;
    std::swap(gradient_now, next_gradient);
    if (idle_steps == kMaxIdleSteps) {  // as near to the minimum as the numbers come
      fit.converged = true;
      break;
    }
  }
  const std::span<const double> w(point_.data(), size - 1);
  fit.intercept = point_.back() + x_.intercept_shift(w);
  fit.coefficients = x_.expand(w);
  return fit;
}

LogisticFit fit_logistic(const Context& context, const FeatureMatrix& x,
                         std::span<const std::uint8_t> labels, double c, double tolerance) {
  return LogisticSolver(context, x, labels).fit(c, tolerance);
}

}  // namespace cone

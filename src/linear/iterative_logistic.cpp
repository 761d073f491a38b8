#include "linear/iterative_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr std::size_t kMaxInnerIterations = 500;
/// Rows of a pass between polls for cancellation: a fraction of a millisecond.
constexpr std::size_t kRowsPerPoll = 4096;

}  // namespace

IterativeLogistic::IterativeLogistic(const Context& context,
                                     std::shared_ptr<const LabelledRows> rows)
    : LogisticObjective(context, std::move(rows)),
      probability_(num_logits(), matrix().rows()),
      scratch_(num_logits(), matrix().rows()),
      weight_(num_logits(), matrix().rows()) {}

double IterativeLogistic::evaluate(double c, std::span<const double> point) {
  for (std::size_t a = 0; a < num_logits(); ++a) {
    matrix().multiply(slopes(point, a), scratch_.row(a));
    for (double& logit : scratch_.row(a)) logit += point[num_slopes() + a];
  }
  const std::size_t num_rows = labels().size();
  CompensatedSum loss;
  for (std::size_t i = 0; i < num_rows; ++i) {
    if (i % kRowsPerPoll == 0) context().poll();
    const SoftmaxOfRow row =
        apply_softmax(&scratch_(0, i), num_logits(), num_rows, labels()[i], &probability_(0, i));
    loss.add(std::log1p(row.rest) + row.margin);
  }
  return penalty(point) + c * matrix().comm().allreduce(loss.value());
}

double IterativeLogistic::gradient(double c, std::span<const double> point, std::span<double> out) {
  for (std::size_t a = 0; a < num_logits(); ++a) {
    double total = 0;
    for (std::size_t i = 0; i < labels().size(); ++i) {
      if (i % kRowsPerPoll == 0) context().poll();
      scratch_(a, i) = c * (probability_(a, i) - (labels()[i] == a + 1 ? 1.0 : 0.0));
      total += scratch_(a, i);
    }
    matrix().multiply_transposed(scratch_.row(a), slopes(out, a));
    out[num_slopes() + a] = matrix().comm().allreduce(total);
  }
  add_penalty_gradient(point, out);
  return std::sqrt(dot(out, out));
}

void IterativeLogistic::take_curvature(double c) {
  c_ = c;
  total_curvature_.assign(num_logits(), 0.0);
  for (std::size_t a = 0; a < num_logits(); ++a) {
    for (std::size_t i = 0; i < labels().size(); ++i) {
      if (i % kRowsPerPoll == 0) context().poll();
      weight_(a, i) = c * probability_(a, i) * (1 - probability_(a, i));
      total_curvature_[a] += weight_(a, i);
    }
  }
  matrix().comm().allreduce(total_curvature_);
}

std::vector<double> IterativeLogistic::approximate_diagonal() const {
  std::vector<double> diagonal(size());
  const std::size_t width = matrix().cols();
  const auto num_labels = static_cast<double>(num_logits() + 1);
  for (std::size_t a = 0; a < num_logits(); ++a) {
    const double mean_curvature = total_curvature_[a] / matrix().num_all_rows();
    for (std::size_t j = 0; j < width; ++j) {
      diagonal[a * width + j] =
          2 * (1 - 1 / num_labels) + mean_curvature * matrix().sums_of_squares()[j];
    }
    diagonal[num_slopes() + a] = std::max(total_curvature_[a], std::numeric_limits<double>::min());
  }
  return diagonal;
}

void IterativeLogistic::multiply_hessian(std::span<const double> direction, std::span<double> out) {
  for (std::size_t a = 0; a < num_logits(); ++a) {
    matrix().multiply(slopes(direction, a), scratch_.row(a));
    for (double& change : scratch_.row(a)) change += direction[num_slopes() + a];
  }
  for (std::size_t i = 0; i < labels().size(); ++i) {
    if (i % kRowsPerPoll == 0) context().poll();
    if (num_logits() == 1) {
      scratch_(0, i) *= weight_(0, i);
      continue;
    }
    double mean_change = 0;
    for (std::size_t a = 0; a < num_logits(); ++a) {
      mean_change += probability_(a, i) * scratch_(a, i);
    }
    for (std::size_t a = 0; a < num_logits(); ++a) {
      scratch_(a, i) = c_ * probability_(a, i) * (scratch_(a, i) - mean_change);
    }
  }
  for (std::size_t a = 0; a < num_logits(); ++a) {
    double total = 0;
    for (const double change : scratch_.row(a)) total += change;
    matrix().multiply_transposed(scratch_.row(a), slopes(out, a));
    out[num_slopes() + a] = matrix().comm().allreduce(total);
  }
  add_penalty_gradient(direction, out);
}

double IterativeLogistic::find_newton_step(double c, std::span<const double> gradient,
                                           double tolerance, std::span<double> step) {
  take_curvature(c);
  const std::vector<double> diagonal = approximate_diagonal();
  std::vector<double> residual(size());
  std::vector<double> scaled(size());
  for (std::size_t j = 0; j < size(); ++j) {
    step[j] = 0;
    residual[j] = -gradient[j];
    scaled[j] = residual[j] / diagonal[j];
  }
  std::vector<double> direction = scaled;
  std::vector<double> image(size());
  double size_squared = dot(residual, scaled);
  const double target = tolerance * tolerance * size_squared;
  // In exact arithmetic as many iterations as unknowns are enough.
  const std::size_t most = std::min(kMaxInnerIterations, 2 * size() + 10);
  for (std::size_t iteration = 0; iteration < most && size_squared > target; ++iteration) {
    context().poll();
    multiply_hessian(direction, image);
    const double curvature = dot(direction, image);
    if (!(curvature > 0)) break;
    const double length = size_squared / curvature;
    for (std::size_t j = 0; j < size(); ++j) {
      step[j] += length * direction[j];
      residual[j] -= length * image[j];
      scaled[j] = residual[j] / diagonal[j];
    }
    const double next = dot(residual, scaled);
    for (std::size_t j = 0; j < size(); ++j) {
      direction[j] = scaled[j] + next / size_squared * direction[j];
    }
    size_squared = next;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace cone

#include "linear/logistic_objective.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/numeric.hpp"

namespace cone {
namespace {

/// Rows of a pass after which it asks whether to go on: a fraction of a millisecond.
constexpr std::size_t kRowsPerPoll = 4096;

/// How many rows have each label. Throws unless all occur.
std::vector<double> count_labels(std::span<const std::uint8_t> labels, std::size_t num_labels) {
  std::vector<double> count(num_labels, 0.0);
  for (const std::uint8_t label : labels) {
    require(label < num_labels, "logistic regression: a label is out of range");
    ++count[label];
  }
  for (std::size_t a = 0; a < num_labels; ++a) {
    if (count[a] > 0) continue;
    Fault fault;
    fault.what = num_labels == 2
                     ? fmt::format("logistic regression on {} nodes, all of them {}", labels.size(),
                                   a == 0 ? "treated" : "untreated")
                     : fmt::format("logistic regression on {} nodes, none of them in arm {} of {}",
                                   labels.size(), a + 1, num_labels);
    fault.advice = "use fewer folds, or bring logged propensities";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  return count;
}

}  // namespace

LogisticObjective::LogisticObjective(const Context& context, FeatureMatrix x,
                                     std::span<const std::uint8_t> labels, std::size_t num_labels)
    : context_(context),
      x_(context, std::move(x)),
      num_logits_(num_labels - 1),
      label_(labels.begin(), labels.end()),
      probability_(num_logits_, x_.rows()),
      scratch_(num_logits_, x_.rows()) {
  context.poll();
  require(num_labels >= 2, "logistic regression: there must be two labels or more");
  require(label_.size() == x_.rows(), "logistic regression: X and labels differ in length");
  const std::vector<double> count = count_labels(labels, num_labels);
  const auto num_rows = static_cast<double>(label_.size());
  double first_share = 1;
  for (std::size_t a = 1; a < num_labels; ++a) first_share -= count[a] / num_rows;
  null_point_.assign(size(), 0.0);
  for (std::size_t a = 0; a < num_logits_; ++a) {
    null_point_[num_slopes() + a] = std::log(count[a + 1] / num_rows / first_share);
  }
}

double LogisticObjective::evaluate(double c, std::span<const double> point) {
  const std::span<const double> intercepts = point.subspan(num_slopes());
  double penalty = 0;
  std::vector<double> total(x_.cols(), 0.0);
  for (std::size_t a = 0; a < num_logits_; ++a) {
    const std::span<const double> v = slopes(point, a);
    x_.multiply(v, scratch_.row(a));
    penalty += dot(v, v);
    for (std::size_t j = 0; j < v.size(); ++j) total[j] += v[j];
  }
  penalty -= dot(total, total) / static_cast<double>(num_logits_ + 1);

  CompensatedSum loss;
  for (std::size_t i = 0; i < label_.size(); ++i) {
    if (i % kRowsPerPoll == 0) context_.poll();
    double largest = 0;
    std::size_t likeliest = 0;
    double own = 0;
    for (std::size_t a = 0; a < num_logits_; ++a) {
      const double logit = scratch_(a, i) + intercepts[a];
      scratch_(a, i) = logit;
      if (logit > largest) {
        largest = logit;
        likeliest = a + 1;
      }
      if (label_[i] == a + 1) own = logit;
    }
    double rest = likeliest == 0 ? 0.0 : std::exp(-largest);  // odds against the likeliest label
    for (std::size_t a = 0; a < num_logits_; ++a) {
      const double odds = likeliest == a + 1 ? 1.0 : std::exp(scratch_(a, i) - largest);
      probability_(a, i) = odds;
      if (likeliest != a + 1) rest += odds;
    }
    for (std::size_t a = 0; a < num_logits_; ++a) probability_(a, i) /= 1 + rest;
    loss.add(std::log1p(rest) + (largest - own));
  }
  return penalty + c * loss.value();
}

double LogisticObjective::gradient(double c, std::span<const double> point, std::span<double> out) {
  for (std::size_t a = 0; a < num_logits_; ++a) {
    double total = 0;
    for (std::size_t i = 0; i < label_.size(); ++i) {
      if (i % kRowsPerPoll == 0) context_.poll();
      scratch_(a, i) = c * (probability_(a, i) - (label_[i] == a + 1 ? 1.0 : 0.0));
      total += scratch_(a, i);
    }
    x_.multiply_transposed(scratch_.row(a), slopes(out, a));
    out[num_slopes() + a] = total;
  }
  add_penalty_gradient(point, out);
  return std::sqrt(dot(out, out));
}

void LogisticObjective::add_penalty_gradient(std::span<const double> point,
                                             std::span<double> out) const {
  for (std::size_t j = 0; j < x_.cols(); ++j) {
    double total = 0;
    for (std::size_t a = 0; a < num_logits_; ++a) total += slopes(point, a)[j];
    const double mean = total / static_cast<double>(num_logits_ + 1);  // that of label 0 is zero
    for (std::size_t a = 0; a < num_logits_; ++a) {
      slopes(out, a)[j] += 2 * (slopes(point, a)[j] - mean);
    }
  }
}

void LogisticObjective::take_curvature(double c) {
  c_ = c;
  if (weight_.rows() == 0) weight_ = Matrix<double>(num_logits_, label_.size());
  total_curvature_.assign(num_logits_, 0.0);
  for (std::size_t a = 0; a < num_logits_; ++a) {
    for (std::size_t i = 0; i < label_.size(); ++i) {
      if (i % kRowsPerPoll == 0) context_.poll();
      weight_(a, i) = c * probability_(a, i) * (1 - probability_(a, i));
      total_curvature_[a] += weight_(a, i);
    }
  }
}

std::vector<double> LogisticObjective::approximate_diagonal() const {
  std::vector<double> diagonal(size());
  const auto num_labels = static_cast<double>(num_logits_ + 1);
  for (std::size_t a = 0; a < num_logits_; ++a) {
    const double mean_curvature = total_curvature_[a] / static_cast<double>(label_.size());
    for (std::size_t j = 0; j < x_.cols(); ++j) {
      diagonal[a * x_.cols() + j] =
          2 * (1 - 1 / num_labels) + mean_curvature * x_.sums_of_squares()[j];
    }
    diagonal[num_slopes() + a] = std::max(total_curvature_[a], std::numeric_limits<double>::min());
  }
  return diagonal;
}

void LogisticObjective::multiply_hessian(std::span<const double> direction, std::span<double> out) {
  for (std::size_t a = 0; a < num_logits_; ++a) {
    x_.multiply(slopes(direction, a), scratch_.row(a));
    for (double& change : scratch_.row(a)) change += direction[num_slopes() + a];
  }
  for (std::size_t i = 0; i < label_.size(); ++i) {
    if (i % kRowsPerPoll == 0) context_.poll();
    if (num_logits_ == 1) {
      scratch_(0, i) *= weight_(0, i);
      continue;
    }
    double mean_change = 0;
    for (std::size_t a = 0; a < num_logits_; ++a)
      mean_change += probability_(a, i) * scratch_(a, i);
    for (std::size_t a = 0; a < num_logits_; ++a) {
      scratch_(a, i) = c_ * probability_(a, i) * (scratch_(a, i) - mean_change);
    }
  }
  for (std::size_t a = 0; a < num_logits_; ++a) {
    double total = 0;
    for (const double change : scratch_.row(a)) total += change;
    x_.multiply_transposed(scratch_.row(a), slopes(out, a));
    out[num_slopes() + a] = total;
  }
  add_penalty_gradient(direction, out);
}

double LogisticObjective::gradient_rounding(double c) const {
  const auto num_rows = static_cast<double>(label_.size());
  return std::numeric_limits<double>::epsilon() * c * num_rows *
         std::sqrt(num_rows + sum(x_.sums_of_squares()));
}

}  // namespace cone

#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/dense.hpp"
#include "linear/log_loss_sum.hpp"
#include "linear/logistic_solver.hpp"

namespace cone {
namespace {

double dot_of_floats(std::span<const float> row, std::span<const double> coefficients,
                     double start) {
  for (std::size_t j = 0; j < row.size(); ++j) start += coefficients[j] * row[j];
  return start;
}

/// Turns the logits of labels 1.. in out[1..] into the probabilities of all.
void to_probabilities(std::span<double> out) {
  double largest = 0;
  for (std::size_t a = 1; a < out.size(); ++a) largest = std::max(largest, out[a]);
  out[0] = std::exp(-largest);
  double total = out[0];
  for (std::size_t a = 1; a < out.size(); ++a) {
    out[a] = std::exp(out[a] - largest);
    total += out[a];
  }
  for (double& probability : out) probability /= total;
  if (out.size() == 2) out[0] = 1 - out[1];
}

}  // namespace

void LogisticFit::probabilities(const FeatureMatrix::Row& row, std::span<double> out) const {
  for (std::size_t a = 0; a < intercepts.size(); ++a) {
    out[a + 1] = intercepts[a] + dot(row, coefficients.row(a));
  }
  to_probabilities(out);
}

void LogisticFit::probabilities(std::span<const float> row, std::span<double> out) const {
  for (std::size_t a = 0; a < intercepts.size(); ++a) {
    out[a + 1] = dot_of_floats(row, coefficients.row(a), intercepts[a]);
  }
  to_probabilities(out);
}

double LogisticFit::log_loss(const FeatureMatrix::Row& row, std::uint8_t label) const {
  double own = 0;
  double largest = 0;
  double rest = 0;  // Σ exp(z − largest) over all logits but one that is the largest
  for (std::size_t a = 0; a < intercepts.size(); ++a) {
    const double logit = intercepts[a] + dot(row, coefficients.row(a));
    if (label == a + 1) own = logit;
    rest =
        logit > largest ? (1 + rest) * std::exp(largest - logit) : rest + std::exp(logit - largest);
    largest = std::max(largest, logit);
  }
  return std::log1p(rest) + (largest - own);
}

double total_log_loss(const Context& context, const LogisticFit& fit, const FeatureMatrix& x,
                      std::span<const std::uint8_t> labels) {
  constexpr std::size_t kRowsPerPoll = 4096;
  if (x.dense_columns().empty()) {
    double loss = 0;
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (i % kRowsPerPoll == 0) context.poll();
      loss += fit.log_loss(x.row(i), labels[i]);
    }
    return loss;
  }
  Matrix<double> logits(fit.intercepts.size(), x.rows());
  for (std::size_t a = 0; a < logits.rows(); ++a) {
    context.poll();
    std::vector<double> of_dense;
    for (const std::uint32_t j : x.dense_columns()) of_dense.push_back(fit.coefficients(a, j));
    multiply_dense(x.dense(), of_dense, logits.row(a));
    for (std::size_t i = 0; i < x.rows(); ++i) {
      logits(a, i) += fit.intercepts[a] + dot(x.sparse().row(i), fit.coefficients.row(a));
    }
  }
  LogLossSum loss;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    if (i % kRowsPerPoll == 0) context.poll();
    loss.add(apply_softmax(&logits(0, i), logits.rows(), x.rows(), labels[i], &logits(0, i)));
  }
  return loss.value();
}

LogisticFit fit_logistic(const Context& context, FeatureMatrix x,
                         std::span<const std::uint8_t> labels, std::size_t num_labels, double c,
                         double tolerance) {
  return LogisticSolver(context, std::move(x), labels, num_labels).fit(c, tolerance);
}

}  // namespace cone

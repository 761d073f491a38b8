#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linear/logistic_solver.hpp"

namespace cone {
namespace {

double dot_of_floats(std::span<const float> row, std::span<const double> coefficients,
                     double start) {
  for (std::size_t j = 0; j < row.size(); ++j) start += coefficients[j] * row[j];
  return start;
}

/// Turns the logits of labels 1.. in out[1..] into the probabilities of all.
void apply_softmax(std::span<double> out) {
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
  apply_softmax(out);
}

void LogisticFit::probabilities(std::span<const float> row, std::span<double> out) const {
  for (std::size_t a = 0; a < intercepts.size(); ++a) {
    out[a + 1] = dot_of_floats(row, coefficients.row(a), intercepts[a]);
  }
  apply_softmax(out);
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

LogisticFit fit_logistic(const Context& context, FeatureMatrix x,
                         std::span<const std::uint8_t> labels, std::size_t num_labels, double c,
                         double tolerance) {
  return LogisticSolver(context, std::move(x), labels, num_labels).fit(c, tolerance);
}

}  // namespace cone

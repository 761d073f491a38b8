#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "exec/statistics.hpp"
#include "linear/dense.hpp"
#include "linear/logistic_solver.hpp"
#include "linear/softmax_loss.hpp"
#include "ops/logistic.hpp"

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
  double rest = 0;  // Σ exp(z − largest) over all logits but the largest
  for (std::size_t a = 0; a < intercepts.size(); ++a) {
    const double logit = intercepts[a] + dot(row, coefficients.row(a));
    if (label == a + 1) own = logit;
    rest =
        logit > largest ? (1 + rest) * std::exp(largest - logit) : rest + std::exp(logit - largest);
    largest = std::max(largest, logit);
  }
  return std::log1p(rest) + (largest - own);
}

HeldOutLabels::HeldOutLabels(const FeatureMatrix& x, std::span<const std::uint32_t> rows,
                             std::span<const std::uint8_t> labels)
    : dense_columns_(x.dense_columns().begin(), x.dense_columns().end()),
      dense_(x.gather_dense_columns(rows)),
      sparse_(x.sparse().select_rows(rows)) {
  for (const std::uint32_t i : rows) label_.push_back(labels[i]);
}

double HeldOutLabels::total_log_loss(const Context& context, const LogisticFit& fit) const {
  return context.comm().allreduce(own_log_loss(context, fit));
}

double HeldOutLabels::own_log_loss(const Context& context, const LogisticFit& fit) const {
  if (dense_columns_.empty()) {
    double loss = 0;
    for (std::size_t i = 0; i < label_.size(); ++i) {
      if (i % ops::kMostLogisticRows == 0) context.poll();
      loss += fit.log_loss({{}, {}, sparse_.row(i)}, label_[i]);
    }
    return loss;
  }
  const std::size_t num_logits = fit.intercepts.size();
  Matrix<double> of_dense(num_logits, dense_columns_.size());
  for (std::size_t a = 0; a < num_logits; ++a) {
    for (std::size_t d = 0; d < dense_columns_.size(); ++d) {
      of_dense(a, d) = fit.coefficients(a, dense_columns_[d]);
    }
  }
  SoftmaxLoss loss(num_logits);
  Matrix<double> logits(num_logits, ops::kMostLogisticRows);
  for (std::size_t begin = 0; begin < label_.size(); begin += logits.cols()) {
    context.poll();
    const std::size_t count = std::min(logits.cols(), label_.size() - begin);
    const MatrixView<double> block(logits.data(), num_logits, count, logits.cols());
    for (std::size_t a = 0; a < num_logits; ++a) {
      multiply_columns({dense_.data() + begin, dense_.rows(), count, dense_.cols()},
                       of_dense.row(a), block.row(a));
      for (std::size_t i = 0; i < count; ++i) {
        block(a, i) += fit.intercepts[a] + dot(sparse_.row(begin + i), fit.coefficients.row(a));
      }
    }
    loss.add(std::span(label_).subspan(begin, count), block);
  }
  return loss.value();
}

LogisticFit fit_logistic(const Context& context, const FeatureMatrix& x,
                         std::span<const std::uint8_t> labels, std::size_t num_labels, double c,
                         double tolerance) {
  return LogisticSolver(context, CentredMatrix(context, x), labels, num_labels).fit(c, tolerance);
}

}  // namespace cone

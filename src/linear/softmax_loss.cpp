#include "linear/softmax_loss.hpp"

#include <cmath>

#include "linear/logistic_objective.hpp"
#include "ops/logistic.hpp"

namespace cone {
namespace {

/// Rows whose factors 1 + rest, at most the number of labels, are multiplied before a logarithm:
/// 16³² does not overflow.
constexpr std::size_t kRowsPerLogarithm = 32;

}  // namespace

void SoftmaxLoss::add(std::span<const std::uint8_t> labels, MatrixView<double> logits) {
  if (num_logits_ == 1) {
    is_one_.assign(labels.begin(), labels.end());
    total_.add(ops::logistic_loss(logits.row(0), is_one_, logits.row(0)));
    return;
  }
  double product = 1;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const SoftmaxOfRow row =
        apply_softmax(&logits(0, i), num_logits_, logits.stride(), labels[i], &logits(0, i));
    total_.add(row.margin);
    product *= 1 + row.rest;
    if ((i + 1) % kRowsPerLogarithm == 0 || i + 1 == labels.size()) {
      total_.add(std::log(product));
      product = 1;
    }
  }
}

}  // namespace cone

#include "linear/logistic_objective.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "linear/explicit_logistic.hpp"
#include "linear/iterative_logistic.hpp"

namespace cone {
namespace {

/// The number of rows with each label, over all folds but one and all ranks. Throws unless all
/// occur.
std::vector<double> count_labels(const LabelledRows& rows, std::size_t held_out) {
  const std::size_t num_labels = rows.num_labels;
  require(num_labels >= 2, "logistic regression: there must be at least two labels");
  std::vector<double> count(num_labels, 0.0);
  for (std::size_t f = 0; f < rows.num_folds(); ++f) {
    if (f == held_out) continue;
    for (std::size_t i = rows.fold_begin(f); i < rows.fold_ends[f]; ++i) {
      require(rows.label[i] < num_labels, "logistic regression: a label is out of range");
      ++count[rows.label[i]];
    }
  }
  rows.x.comm().allreduce(count);
  const double num_rows = sum(count);
  for (std::size_t a = 0; a < num_labels; ++a) {
    if (count[a] > 0) continue;
    Fault fault;
    fault.what = num_labels == 2
                     ? fmt::format("logistic regression on {} nodes, all of them {}", num_rows,
                                   a == 0 ? "treated" : "untreated")
                     : fmt::format("logistic regression on {} nodes, none of them in arm {} of {}",
                                   num_rows, a + 1, num_labels);
    fault.advice = "use fewer folds, or supply the logged propensities";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  return count;
}

}  // namespace

LogisticObjective::LogisticObjective(const Context& context,
                                     std::shared_ptr<const LabelledRows> rows, std::size_t held_out)
    : context_(context), rows_(std::move(rows)) {
  context.poll();
  require(rows_->label.size() == rows_->x.rows() && !rows_->fold_ends.empty() &&
              rows_->fold_ends.back() == rows_->x.rows(),
          "logistic regression: X and labels differ in length");
  const std::vector<double> count = count_labels(*rows_, held_out);
  const double num_rows = sum(count);
  double first_share = 1;
  for (std::size_t a = 1; a < count.size(); ++a) first_share -= count[a] / num_rows;
  null_point_.assign(size(), 0.0);
  for (std::size_t a = 0; a < num_logits(); ++a) {
    null_point_[num_slopes() + a] = std::log(count[a + 1] / num_rows / first_share);
  }
}

double LogisticObjective::penalty(std::span<const double> point) const {
  double squares = 0;
  std::vector<double> total(matrix().cols(), 0.0);
  for (std::size_t a = 0; a < num_logits(); ++a) {
    const std::span<const double> v = slopes(point, a);
    squares += dot(v, v);
    for (std::size_t j = 0; j < v.size(); ++j) total[j] += v[j];
  }
  return squares - dot(total, total) / static_cast<double>(num_logits() + 1);
}

void LogisticObjective::add_penalty_gradient(std::span<const double> point,
                                             std::span<double> out) const {
  for (std::size_t j = 0; j < matrix().cols(); ++j) {
    double total = 0;
    for (std::size_t a = 0; a < num_logits(); ++a) total += slopes(point, a)[j];
    const double mean =
        total / static_cast<double>(num_logits() + 1);  // the slopes of label 0 are zero
    for (std::size_t a = 0; a < num_logits(); ++a) {
      slopes(out, a)[j] += 2 * (slopes(point, a)[j] - mean);
    }
  }
}

double LogisticObjective::gradient_rounding(double c) const {
  const double num_rows = matrix().num_all_rows();
  return std::numeric_limits<double>::epsilon() * c * num_rows *
         std::sqrt(num_rows + sum(matrix().sums_of_squares()));
}

std::unique_ptr<LogisticObjective> make_logistic_objective(const Context& context, CentredMatrix x,
                                                           std::span<const std::uint8_t> labels,
                                                           std::size_t num_labels) {
  const bool is_explicit = prefers_explicit_hessian(x, num_labels);
  const std::size_t num_rows = x.rows();
  auto rows = std::make_shared<const LabelledRows>(
      LabelledRows{std::move(x), {labels.begin(), labels.end()}, num_labels, {num_rows}});
  if (is_explicit) return std::make_unique<ExplicitLogistic>(context, std::move(rows));
  return std::make_unique<IterativeLogistic>(context, std::move(rows));
}

SoftmaxOfRow apply_softmax(const double* logits, std::size_t num_logits, std::size_t stride,
                           std::uint8_t label, double* probabilities) {
  double largest = 0;
  std::size_t likeliest = 0;
  for (std::size_t a = 0; a < num_logits; ++a) {
    if (logits[a * stride] > largest) {
      largest = logits[a * stride];
      likeliest = a + 1;
    }
  }
  const double own = label == 0 ? 0.0 : logits[(label - 1) * stride];
  double rest = likeliest == 0 ? 0.0 : std::exp(-largest);
  for (std::size_t a = 0; a < num_logits; ++a) {
    const double odds = likeliest == a + 1 ? 1.0 : std::exp(logits[a * stride] - largest);
    probabilities[a * stride] = odds;
    if (likeliest != a + 1) rest += odds;
  }
  for (std::size_t a = 0; a < num_logits; ++a) probabilities[a * stride] /= 1 + rest;
  return {.rest = rest, .margin = largest - own};
}

}  // namespace cone

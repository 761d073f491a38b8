#include "linear/logistic_passes.hpp"

#include <algorithm>
#include <cstdint>

#include "linear/dense.hpp"
#include "linear/softmax_loss.hpp"
#include "ops/columns.hpp"
#include "ops/logistic.hpp"

namespace cone {
namespace {

/// Rows per block: they stay in the cache for all products.
constexpr std::size_t kBlockOfRows = ops::kMostLogisticRows;

void add_to(std::span<const double> values, std::span<double> total) {
  for (std::size_t k = 0; k < total.size(); ++k) total[k] += values[k];
}

/// The probability of a label minus 1{it is the row's label}.
void take_residuals(std::span<const double> probability, std::span<const std::uint8_t> own,
                    std::uint8_t label, double* out) {
  const double* const from = probability.data();
  const std::uint8_t* const labels = own.data();
  // Integers of 32 bits first, so that the loops vectorise.
  std::int32_t is_own[kBlockOfRows];
  const std::size_t size = own.size();
  for (std::size_t i = 0; i < size; ++i) is_own[i] = labels[i] == label ? 1 : 0;
  for (std::size_t i = 0; i < size; ++i) out[i] = from[i] - static_cast<double>(is_own[i]);
}

/// Independent partial sums, so that additions do not wait for each other.
double sum_by_lanes(std::span<const double> values) {
  constexpr std::size_t kSums = 8;
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= values.size(); i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace

void LossSlope::add(const LossSlope& other) {
  loss += other.loss;
  add_to(other.gradient, gradient);
}

void LossCurvature::add(const LossCurvature& other) {
  for (std::size_t k = 0; k < products.size(); ++k) {
    add_to(other.products[k].values(), products[k].values());
  }
  add_to(other.weighted_sums.values(), weighted_sums.values());
}

template <class Body>
double LogisticPasses::pass_over(std::size_t fold, std::span<const double> point,
                                 const Body& body) const {
  const std::size_t num_logits = rows_->num_logits();
  const std::size_t width = rows_->x.cols();
  const std::size_t end = rows_->fold_ends[fold];
  std::vector<double> buffer;
  Matrix<double> probability(num_logits, kBlockOfRows);
  SoftmaxLoss loss(num_logits);
  for (std::size_t begin = rows_->fold_begin(fold); begin < end; begin += kBlockOfRows) {
    context_.poll();
    const std::size_t count = std::min(kBlockOfRows, end - begin);
    const MatrixView<const double> x = rows_->x.read_rows(begin, count, buffer);
    const MatrixView<double> p(probability.data(), num_logits, count, kBlockOfRows);
    for (std::size_t a = 0; a < num_logits; ++a) {
      ops::multiply_columns(x, point.subspan(a * width, width), point[num_logits * width + a],
                            p.row(a));
    }
    const std::span<const std::uint8_t> own = std::span(rows_->label).subspan(begin, count);
    loss.add(own, p);
    body(own, x, p);
  }
  return loss.value();
}

LossSlope LogisticPasses::measure_slope(std::size_t fold, std::span<const double> point) const {
  const std::size_t num_logits = rows_->num_logits();
  const std::size_t width = rows_->x.cols();
  LossSlope slope{.gradient = std::vector<double>(point.size(), 0.0)};
  std::vector<double> residual(kBlockOfRows);
  slope.loss = pass_over(fold, point, [&](auto own, auto x, auto p) {
    for (std::size_t a = 0; a < num_logits; ++a) {
      take_residuals(p.row(a), own, static_cast<std::uint8_t>(a + 1), residual.data());
      const std::span<const double> residuals = std::span(residual).first(own.size());
      ops::add_columns_transposed(x, residuals,
                                  std::span(slope.gradient).subspan(a * width, width));
      slope.gradient[num_logits * width + a] += sum_by_lanes(residuals);
    }
  });
  slope.loss = comm().allreduce(slope.loss);
  comm().allreduce(slope.gradient);
  return slope;
}

double LogisticPasses::measure_loss(std::size_t fold, std::span<const double> point) const {
  return comm().allreduce(pass_over(fold, point, [](auto, auto, auto) {}));
}

LossCurvature LogisticPasses::measure_curvature(std::size_t fold,
                                                std::span<const double> point) const {
  const std::size_t num_logits = rows_->num_logits();
  const std::size_t width = rows_->x.cols();
  const std::size_t num_pairs = pair_of_labels(num_logits, 0);
  LossCurvature out{
      .products = std::vector<Matrix<double>>(num_pairs, Matrix<double>(width, width)),
      .weighted_sums = Matrix<double>(num_pairs, width + 1)};
  std::vector<double> weight(kBlockOfRows);
  Matrix<double> scratch = Matrix<double>::unfilled(width, kBlockOfRows);
  pass_over(fold, point, [&](auto own, auto x, auto p) {
    const std::span<double> weights = std::span(weight).first(own.size());
    for (std::size_t a = 0; a < num_logits; ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        // |∂ residual of a / ∂ logit of b|; the derivative is negative where a and b differ.
        const double* const one = p.row(a).data();
        const double* const other = p.row(b).data();
        for (std::size_t i = 0; i < own.size(); ++i) {
          weights[i] = one[i] * (a == b ? 1 - one[i] : other[i]);
        }
        const std::span<double> sums = out.weighted_sums.row(pair_of_labels(a, b));
        sums[width] += sum_by_lanes(weights);
        ops::add_columns_transposed(x, weights, sums.first(width));
        add_weighted_products(x, weights, scratch.view(), out.products[pair_of_labels(a, b)]);
      }
    }
  });
  for (Matrix<double>& products : out.products) comm().allreduce(products.values());
  comm().allreduce(out.weighted_sums.values());
  return out;
}

}  // namespace cone

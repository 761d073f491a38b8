#include "linear/explicit_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "linear/dense.hpp"
#include "linear/log_loss_sum.hpp"
#include "ops/cholesky.hpp"

namespace cone {
namespace {

/// Inner iterations of conjugate gradients that a Newton step takes, about.
constexpr double kUsualInnerIterations = 10;
/// Rows that go through all products while they are in the cache.
constexpr std::size_t kBlockOfRows = 512;
/// A step must shrink the gradient to this share for the Hessian to be used again.
constexpr double kStaleShrinkage = 0.1;

}  // namespace

bool prefers_explicit_hessian(const CentredMatrix& x, std::size_t num_labels) {
  if (x.num_dense() == 0) return false;
  const auto rows = static_cast<double>(x.rows());
  const auto width = static_cast<double>(x.cols() + 1);
  const auto logits = static_cast<double>(num_labels - 1);
  const double unknowns = logits * width;
  const double pairs = logits * (logits + 1) / 2;
  const double by_hessian =
      (rows * pairs * width * width / 2 + unknowns * unknowns * unknowns / 3) / kDenseSpeedup;
  const double by_iterations =
      kUsualInnerIterations * 2 * logits * static_cast<double>(x.num_stored());
  return by_hessian <= by_iterations;
}

ExplicitLogistic::ExplicitLogistic(const Context& context, CentredMatrix x,
                                   std::span<const std::uint8_t> labels, std::size_t num_labels)
    : LogisticObjective(context, std::move(x), labels, num_labels),
      probability_(matrix().rows(), num_logits()) {}

double ExplicitLogistic::evaluate(double c, std::span<const double> point) {
  if (std::equal(point.begin(), point.end(), point_.begin(), point_.end())) {
    return penalty(point) + c * loss_;
  }
  const OneBlasThread guard;
  const std::size_t width = matrix().cols();
  const std::span<const double> intercepts = point.subspan(num_slopes());
  const auto as_int = [](std::size_t value) { return static_cast<int>(value); };
  const int logits = as_int(num_logits());
  std::vector<double> buffer;
  Matrix<double> residual(kBlockOfRows, num_logits());
  d_loss_.assign(size(), 0.0);
  LogLossSum loss;
  for (std::size_t begin = 0; begin < matrix().rows(); begin += kBlockOfRows) {
    context().poll();
    const std::size_t count = std::min(kBlockOfRows, matrix().rows() - begin);
    const double* x = matrix().read_rows(begin, count, buffer);
    double* p = probability_.row(begin).data();
    for (std::size_t i = 0; i < count; ++i) {
      std::copy(intercepts.begin(), intercepts.end(), p + i * num_logits());
    }
    for (std::size_t a = 0; a < num_logits() && width > 0; ++a) {
      cblas_dgemv(CblasRowMajor, CblasNoTrans, as_int(count), as_int(width), 1.0, x, as_int(width),
                  slopes(point, a).data(), 1, 1.0, p + a, logits);
    }
    for (std::size_t i = 0; i < count; ++i) {
      double* of_row = p + i * num_logits();
      const std::uint8_t label = labels()[begin + i];
      loss.add(apply_softmax(of_row, num_logits(), 1, label, of_row));
      for (std::size_t a = 0; a < num_logits(); ++a) {
        const double r = of_row[a] - (label == a + 1 ? 1.0 : 0.0);
        residual(i, a) = r;
        d_loss_[num_slopes() + a] += r;
      }
    }
    for (std::size_t a = 0; a < num_logits() && width > 0; ++a) {
      cblas_dgemv(CblasRowMajor, CblasTrans, as_int(count), as_int(width), 1.0, x, as_int(width),
                  &residual(0, a), logits, 1.0, d_loss_.data() + a * width, 1);
    }
  }
  loss_ = loss.value();
  point_.assign(point.begin(), point.end());
  return penalty(point) + c * loss_;
}

double ExplicitLogistic::gradient(double c, std::span<const double> point, std::span<double> out) {
  for (std::size_t j = 0; j < size(); ++j) out[j] = c * d_loss_[j];
  add_penalty_gradient(point, out);
  return std::sqrt(dot(out, out));
}

void ExplicitLogistic::take_curvature() {
  const OneBlasThread guard;
  const std::size_t width = matrix().cols();
  const int columns = static_cast<int>(width);
  const std::size_t num_pairs = pair_of(num_logits(), 0);
  products_.assign(num_pairs, Matrix<double>(width, width));
  weighted_sums_ = Matrix<double>(num_pairs, width + 1);
  std::vector<double> buffer;
  std::vector<double> root(kBlockOfRows);
  Matrix<double> scaled = Matrix<double>::unfilled(kBlockOfRows, width);
  for (std::size_t begin = 0; begin < matrix().rows(); begin += kBlockOfRows) {
    context().poll();
    const std::size_t count = std::min(kBlockOfRows, matrix().rows() - begin);
    const double* x = matrix().read_rows(begin, count, buffer);
    for (std::size_t a = 0; a < num_logits(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        // |∂ residual of a / ∂ logit of b|; it is negative where a and b differ.
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const std::span<const double> p = std::as_const(probability_).row(begin + i);
          const double weight = p[a] * (a == b ? 1 - p[a] : p[b]);
          total += weight;
          root[i] = std::sqrt(weight);
          const double* from = x + i * width;
          double* to = scaled.row(i).data();
          for (std::size_t j = 0; j < width; ++j) to[j] = root[i] * from[j];
        }
        const std::span<double> sums = weighted_sums_.row(pair_of(a, b));
        sums[width] += total;
        if (width == 0) continue;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, columns, static_cast<int>(count), 1.0,
                    scaled.data(), columns, 1.0, products_[pair_of(a, b)].data(), columns);
        cblas_dgemv(CblasRowMajor, CblasTrans, static_cast<int>(count), columns, 1.0, scaled.data(),
                    columns, root.data(), 1, 1.0, sums.data(), 1);
      }
    }
  }
}

Matrix<double> ExplicitLogistic::assemble_hessian(double c) const {
  const std::size_t width = matrix().cols();
  const double off_diagonal = -2 / static_cast<double>(num_logits() + 1);  // of the penalty
  Matrix<double> hessian(size(), size());
  for (std::size_t a = 0; a < num_logits(); ++a) {
    for (std::size_t b = 0; b < num_logits(); ++b) {
      const std::size_t pair = pair_of(std::max(a, b), std::min(a, b));
      const double sign = a == b ? c : -c;
      const Matrix<double>& product = products_[pair];
      const std::span<const double> sums = weighted_sums_.row(pair);
      for (std::size_t j = 0; j < width; ++j) {
        const std::span<double> row = hessian.row(a * width + j);
        for (std::size_t k = 0; k < width; ++k) {
          row[b * width + k] = sign * product(std::max(j, k), std::min(j, k));
        }
        row[b * width + j] += a == b ? 2 + off_diagonal : off_diagonal;
      }
      const std::span<double> row = hessian.row(num_slopes() + a);
      for (std::size_t k = 0; k < width; ++k) row[b * width + k] = sign * sums[k];
      row[num_slopes() + b] = sign * sums[width];
    }
  }
  return hessian;
}

void ExplicitLogistic::find_newton_step(double c, std::span<const double> gradient,
                                        double /*tolerance*/, std::span<double> step) {
  const double norm = std::sqrt(dot(gradient, gradient));
  const bool is_stale = c == last_c_ && norm > kStaleShrinkage * last_norm_;
  if (products_.empty() || is_stale) take_curvature();
  last_c_ = c;
  last_norm_ = norm;
  Matrix<double> hessian = assemble_hessian(c);
  std::vector<double> diagonal(size());
  for (std::size_t j = 0; j < size(); ++j) diagonal[j] = hessian(j, j);
  for (std::size_t j = 0; j < size(); ++j) step[j] = -gradient[j];
  const OneBlasThread guard;
  if (ops::factorise_cholesky(context(), hessian.view())) {
    // A row-major lower triangle is LAPACK's upper one.
    const int n = static_cast<int>(size());
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', n, 1, hessian.data(), n, step.data(), n);
    return;
  }
  // Saturated probabilities leave nothing of the intercepts' curvature.
  for (std::size_t j = 0; j < size(); ++j) {
    step[j] /= std::max(diagonal[j], std::numeric_limits<double>::min());
  }
}

}  // namespace cone

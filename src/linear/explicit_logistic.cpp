#include "linear/explicit_logistic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/numeric.hpp"
#include "linear/dense.hpp"
#include "linear/softmax_loss.hpp"
#include "ops/cholesky.hpp"
#include "ops/logistic.hpp"

namespace cone {
namespace {

/// Inner iterations of conjugate gradients that a Newton step takes, about.
constexpr double kUsualInnerIterations = 10;
/// Rows that go through all products while they are in the cache.
constexpr std::size_t kBlockOfRows = ops::kMostLogisticRows;
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
      probability_(num_logits(), matrix().rows()) {}

double ExplicitLogistic::evaluate(double c, std::span<const double> point) {
  if (std::equal(point.begin(), point.end(), point_.begin(), point_.end())) {
    return penalty(point) + c * loss_;
  }
  std::vector<double> buffer;
  std::vector<double> residual(kBlockOfRows);
  std::vector<double> block_gradient(matrix().cols());
  d_loss_.assign(size(), 0.0);
  SoftmaxLoss loss(num_logits());
  for (std::size_t begin = 0; begin < matrix().rows(); begin += kBlockOfRows) {
    context().poll();
    const std::size_t count = std::min(kBlockOfRows, matrix().rows() - begin);
    const MatrixView<const double> x = matrix().read_rows(begin, count, buffer);
    const MatrixView<double> p(probability_.data() + begin, num_logits(), count,
                               probability_.cols());
    for (std::size_t a = 0; a < num_logits(); ++a) {
      multiply_columns(x, slopes(point, a), p.row(a));
      for (double& logit : p.row(a)) logit += point[num_slopes() + a];
    }
    const std::span<const std::uint8_t> own = labels().subspan(begin, count);
    loss.add(own, p);
    for (std::size_t a = 0; a < num_logits(); ++a) {
      double total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        residual[i] = p(a, i) - (own[i] == a + 1 ? 1.0 : 0.0);
        total += residual[i];
      }
      multiply_columns_transposed(x, std::span(residual).first(count), block_gradient);
      for (std::size_t j = 0; j < matrix().cols(); ++j) {
        d_loss_[a * matrix().cols() + j] += block_gradient[j];
      }
      d_loss_[num_slopes() + a] += total;
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
  const std::size_t num_pairs = pair_of(num_logits(), 0);
  products_.assign(num_pairs, Matrix<double>(width, width));
  weighted_sums_ = Matrix<double>(num_pairs, width + 1);
  std::vector<double> buffer;
  std::vector<double> root(kBlockOfRows);
  Matrix<double> scaled = Matrix<double>::unfilled(width, kBlockOfRows);
  for (std::size_t begin = 0; begin < matrix().rows(); begin += kBlockOfRows) {
    context().poll();
    const std::size_t count = std::min(kBlockOfRows, matrix().rows() - begin);
    const MatrixView<const double> x = matrix().read_rows(begin, count, buffer);
    for (std::size_t a = 0; a < num_logits(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        const double* p = probability_.row(a).data() + begin;
        const double* q = probability_.row(b).data() + begin;
        // |∂ residual of a / ∂ logit of b|; it is negative where a and b differ.
        double total = 0;
        for (std::size_t i = 0; i < count; ++i) {
          const double weight = p[i] * (a == b ? 1 - p[i] : q[i]);
          total += weight;
          root[i] = std::sqrt(weight);
        }
        const std::span<double> sums = weighted_sums_.row(pair_of(a, b));
        sums[width] += total;
        for (std::size_t j = 0; j < width; ++j) {
          const double* from = x.row(j).data();
          double* to = scaled.row(j).data();
          double sum = 0;
          for (std::size_t i = 0; i < count; ++i) {
            to[i] = root[i] * from[i];
            sum += root[i] * to[i];
          }
          sums[j] += sum;
        }
        if (width == 0) continue;
        const int columns = static_cast<int>(width);
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, columns, static_cast<int>(count), 1.0,
                    scaled.data(), static_cast<int>(kBlockOfRows), 1.0,
                    products_[pair_of(a, b)].data(), columns);
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

StepQuality ExplicitLogistic::find_newton_step(double c, std::span<const double> gradient,
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
    return StepQuality::kByHessian;
  }
  // Saturated probabilities leave nothing of the intercepts' curvature.
  for (std::size_t j = 0; j < size(); ++j) {
    step[j] /= std::max(diagonal[j], std::numeric_limits<double>::min());
  }
  return StepQuality::kRough;
}

}  // namespace cone

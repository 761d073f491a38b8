#include "linear/pseudo_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cone/error.hpp"

#include "linear/dense.hpp"
#include "ops/cholesky.hpp"

namespace cone {
namespace {

/// Rows per triangular solve or product: a fraction of a second at 8192 columns.
constexpr std::size_t kRowsAtATime = 32;

int blas_int(std::size_t value) { return static_cast<int>(value); }

bool is_finite_lower(const Matrix<double>& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (const double value : matrix.row(i).first(i + 1)) {
      if (!std::isfinite(value)) return false;
    }
  }
  return true;
}

}  // namespace

// A row-major lower triangle is LAPACK's upper triangle: G = LL' here reads G = U'U there. LAPACK
// is always called column-major with 'U', which avoids LAPACKE's transposed copies, and by the
// _work variants, which do not scan the factor for NaN.
PseudoInverse::PseudoInverse(const Context& context, Matrix<double> g)
    : size_(g.rows()),
      rank_(g.rows()),
      scale_(g.rows(), 1.0),
      pivot_(g.rows()),
      factor_(std::move(g)) {
  require(factor_.rows() == factor_.cols(), "pseudo-inverse: the matrix must be square");
  if (size_ == 0) return;
  for (std::size_t i = 0; i < size_; ++i) {
    if (factor_(i, i) > 0) scale_[i] = std::sqrt(factor_(i, i));
  }
  for (std::size_t i = 0; i < size_; ++i) {
    context.poll();
    for (std::size_t j = 0; j <= i; ++j) factor_(i, j) /= scale_[i] * scale_[j];
  }
  factorise(context);
}

void PseudoInverse::factorise(const Context& context) {
  // The rounding error on the diagonal of an exactly dependent column, with a safety margin.
  const double tolerance = 2.0 * std::numeric_limits<double>::epsilon() *
                           static_cast<double>(std::max<std::size_t>(size_, 256));
  if (!is_finite_lower(factor_)) {
    Fault fault;
    fault.what = "the products of some feature columns are not finite";
    fault.advice = "rescale features with extreme values";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  rank_ = ops::factorise_pivoted(context, factor_.view(), tolerance, pivot_);
  if (rank_ < size_) find_null_space(context);
}

void PseudoInverse::find_null_space(const Context& context) {
  const std::size_t nullity = size_ - rank_;
  const int n = blas_int(size_);
  const int rank = blas_int(rank_);
  // Rows rank_.. of L hold L21; L21 L11⁻¹ gives the dependent columns in terms of the leading ones.
  // Each null vector is scaled by its dependent column, so that N'N = I + a positive semi-definite
  // matrix.
  null_space_ = Matrix<double>(nullity, size_);
  context.for_each_range(nullity, kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    Matrix<double> dependence(end - begin, rank_);
    for (std::size_t i = begin; i < end; ++i) {
      std::copy_n(factor_.row(rank_ + i).begin(), rank_, dependence.row(i - begin).begin());
    }
    if (rank_ > 0) {
      cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit,
                  blas_int(end - begin), rank, 1.0, factor_.data(), n, dependence.data(), rank);
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t own = pivot_[rank_ + i];
      null_space_(i, own) = 1.0;
      for (std::size_t j = 0; j < rank_; ++j) {
        null_space_(i, pivot_[j]) = -dependence(i - begin, j) * scale_[own] / scale_[pivot_[j]];
      }
    }
  });
  const int k = blas_int(nullity);
  null_gram_factor_ = Matrix<double>(nullity, nullity);
  context.for_each_range(nullity, kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(end - begin), blas_int(end), n,
                1.0, null_space_.row(begin).data(), n, null_space_.data(), n, 0.0,
                null_gram_factor_.row(begin).data(), k);
  });
  require(ops::factorise_cholesky(context, null_gram_factor_.view()),
          "pseudo-inverse: the null space is degenerate");
}

void PseudoInverse::remove_null_space(Matrix<double>& right_hand_sides) const {
  const int k = blas_int(null_space_.rows());
  const int n = blas_int(size_);
  const int count = blas_int(right_hand_sides.rows());
  if (k == 0) return;
  Matrix<double> amounts(right_hand_sides.rows(), null_space_.rows());
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, k, n, 1.0, right_hand_sides.data(), n,
              null_space_.data(), n, 0.0, amounts.data(), k);
  LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', k, count, null_gram_factor_.data(), k, amounts.data(),
                      k);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, n, k, -1.0, amounts.data(), k,
              null_space_.data(), n, 1.0, right_hand_sides.data(), n);
}

void PseudoInverse::solve(Matrix<double>& right_hand_sides) const {
  const std::size_t count = right_hand_sides.rows();
  if (count == 0 || size_ == 0) return;
  const OneBlasThread guard;
  remove_null_space(right_hand_sides);
  Matrix<double> leading(count, rank_);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < rank_; ++j) {
      leading(i, j) = right_hand_sides(i, pivot_[j]) / scale_[pivot_[j]];
    }
  }
  if (rank_ > 0) {
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'U', blas_int(rank_), blas_int(count), factor_.data(),
                        blas_int(size_), leading.data(), blas_int(rank_));
  }
  std::fill(right_hand_sides.values().begin(), right_hand_sides.values().end(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < rank_; ++j) {
      right_hand_sides(i, pivot_[j]) = leading(i, j) / scale_[pivot_[j]];
    }
  }
  remove_null_space(right_hand_sides);
}

double PseudoInverse::trace_of_inverse(const Context& context) const {
  require(rank_ == size_, "pseudo-inverse: the trace of the inverse needs full rank");
  // G⁻¹ = D⁻¹ L⁻ᵀ L⁻¹ D⁻¹: the squares of column j of L⁻¹ over the square of its scale.
  const std::vector<double> squares = ops::inverse_column_squares(context, factor_.view());
  double trace = 0;
  for (std::size_t j = 0; j < size_; ++j) {
    trace += squares[j] / (scale_[pivot_[j]] * scale_[pivot_[j]]);
  }
  return trace;
}

}  // namespace cone

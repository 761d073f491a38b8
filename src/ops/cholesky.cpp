#include "ops/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <cblas.h>
#include <lapacke.h>

#include "cone/error.hpp"

#include "exec/one_blas_thread.hpp"
#include "ops/blas_int.hpp"

namespace cone::ops {
namespace {

/// Columns that are eliminated at a time.
constexpr std::size_t kPanelColumns = 128;
/// Rows that one piece updates: a tenth of a second at 20,000 columns.
constexpr std::size_t kPieceRows = 256;
/// Columns of the inverse that one piece solves for.
constexpr std::size_t kStripColumns = 64;

/// Subtracts the products of columns [begin, end) from the lower triangle right of and below them.
void update_trailing(const Context& context, MatrixView<double> a, std::size_t begin,
                     std::size_t end) {
  const int stride = blas_int(a.stride());
  const int width = blas_int(end - begin);
  context.for_each_range(a.rows() - end, kPieceRows, [&](std::size_t first, std::size_t last) {
    const OneBlasThread guard;
    const int rows = blas_int(last - first);
    const std::size_t r = end + first;
    if (first > 0) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, blas_int(first), width, -1.0,
                  &a(r, begin), stride, &a(end, begin), stride, 1.0, &a(r, end), stride);
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, rows, width, -1.0, &a(r, begin), stride,
                1.0, &a(r, r), stride);
  });
}

/// Exchanges rows and columns i < j of a symmetric matrix of which the lower triangle is stored.
void exchange(MatrixView<double> a, std::size_t i, std::size_t j) {
  std::swap_ranges(&a(i, 0), &a(i, 0) + i, &a(j, 0));
  std::swap(a(i, i), a(j, j));
  for (std::size_t k = i + 1; k < j; ++k) std::swap(a(k, i), a(j, k));
  for (std::size_t k = j + 1; k < a.rows(); ++k) std::swap(a(k, i), a(k, j));
}

}  // namespace

bool factorise_cholesky(const Context& context, MatrixView<double> a) {
  require(a.rows() == a.cols(), "Cholesky factor: the matrix must be square");
  const std::size_t n = a.rows();
  const int stride = blas_int(a.stride());
  for (std::size_t k = 0; k < n; k += kPanelColumns) {
    const std::size_t end = std::min(n, k + kPanelColumns);
    const int width = blas_int(end - k);
    {
      const OneBlasThread guard;
      // The upper triangle by columns is the lower one by rows, without a transposition.
      if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', width, &a(k, k), stride) != 0) return false;
    }
    context.for_each_range(n - end, kPieceRows, [&](std::size_t first, std::size_t last) {
      const OneBlasThread guard;
      cblas_dtrsm(CblasRowMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit,
                  blas_int(last - first), width, 1.0, &a(k, k), stride, &a(end + first, k), stride);
    });
    update_trailing(context, a, k, end);
  }
  return true;
}

// The algorithm of LAPACK's dpstrf: pivots are chosen column by column, and all but the columns of
// the current panel are updated panel by panel.
std::size_t factorise_pivoted(const Context& context, MatrixView<double> a, double tolerance,
                              std::vector<std::size_t>& pivot) {
  require(a.rows() == a.cols(), "Cholesky factor: the matrix must be square");
  const std::size_t n = a.rows();
  const int stride = blas_int(a.stride());
  pivot.resize(n);
  std::iota(pivot.begin(), pivot.end(), std::size_t{0});
  std::vector<double> taken(
      n);  // subtracted from each diagonal element by the columns of the panel
  for (std::size_t k = 0; k < n; k += kPanelColumns) {
    const std::size_t end = std::min(n, k + kPanelColumns);
    std::fill(taken.begin(), taken.end(), 0.0);
    for (std::size_t j = k; j < end; ++j) {
      context.poll();
      std::size_t best = j;
      for (std::size_t i = j; i < n; ++i) {
        if (j > k) taken[i] += a(i, j - 1) * a(i, j - 1);
        if (a(i, i) - taken[i] > a(best, best) - taken[best]) best = i;
      }
      const double largest = a(best, best) - taken[best];
      if (!(largest > tolerance)) return j;
      if (best != j) {
        exchange(a, j, best);
        std::swap(taken[j], taken[best]);
        std::swap(pivot[j], pivot[best]);
      }
      a(j, j) = std::sqrt(largest);
      if (j + 1 == n) continue;
      const OneBlasThread guard;
      const int below = blas_int(n - j - 1);
      if (j > k) {
        cblas_dgemv(CblasRowMajor, CblasNoTrans, below, blas_int(j - k), -1.0, &a(j + 1, k), stride,
                    &a(j, k), 1, 1.0, &a(j + 1, j), stride);
      }
      cblas_dscal(below, 1 / a(j, j), &a(j + 1, j), stride);
    }
    update_trailing(context, a, k, end);
  }
  return n;
}

std::vector<double> inverse_column_squares(const Context& context, MatrixView<const double> l) {
  const std::size_t n = l.rows();
  const int stride = blas_int(l.stride());
  std::vector<double> squares(n, 0.0);
  context.for_each_range(n, kStripColumns, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    const std::size_t width = end - begin;
    Matrix<double> strip(n - begin, width);  // rows from `begin` on: above, the inverse is zero
    for (std::size_t j = 0; j < width; ++j) strip(j, j) = 1;
    for (std::size_t r = 0; r < strip.rows(); r += kPieceRows) {
      context.poll();
      const int rows = blas_int(std::min(kPieceRows, strip.rows() - r));
      if (r > 0) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, blas_int(width), blas_int(r),
                    -1.0, &l(begin + r, begin), stride, strip.data(), blas_int(width), 1.0,
                    strip.row(r).data(), blas_int(width));
      }
      cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows,
                  blas_int(width), 1.0, &l(begin + r, begin + r), stride, strip.row(r).data(),
                  blas_int(width));
    }
    for (std::size_t i = 0; i < strip.rows(); ++i) {
      for (std::size_t j = 0; j < width; ++j) squares[begin + j] += strip(i, j) * strip(i, j);
    }
  });
  return squares;
}

}  // namespace cone::ops

#include "estimate/cholesky.hpp"

#include <cblas.h>
#include <lapacke.h>

#include "cone/base/error.hpp"
#include "cone/base/numeric.hpp"
#include "cone/exec/one_blas_thread.hpp"

namespace cone {

void factorise(Matrix<double>& matrix) {
  if (matrix.rows() == 0) return;
  const OneBlasThread guard;
  const auto n = static_cast<lapack_int>(matrix.rows());
  // The upper triangle by columns is the lower one by rows, without a transposition.
  if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, matrix.data(), n) != 0) {
    Fault fault;
    fault.what = "the kernel matrix plus the penalty is not positive definite";
    fault.advice = "raise --kernel-lambda";
    throw Error(ErrorCode::kData, {fault});
  }
}

void solve_with_factor(const Matrix<double>& factor, std::span<double> b) {
  if (factor.rows() == 0) return;
  const OneBlasThread guard;
  const int n = static_cast<int>(factor.rows());
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasNoTrans, CblasNonUnit, n, factor.data(), n, b.data(),
              1);
  cblas_dtrsv(CblasRowMajor, CblasLower, CblasTrans, CblasNonUnit, n, factor.data(), n, b.data(),
              1);
}

std::vector<double> inverse_diagonal(const Matrix<double>& factor) {
  std::vector<double> diagonal(factor.rows(), 0.0);
  if (factor.rows() == 0) return diagonal;
  const OneBlasThread guard;
  Matrix<double> inverse = factor;
  const auto n = static_cast<lapack_int>(factor.rows());
  LAPACKE_dtrtri_work(LAPACK_COL_MAJOR, 'U', 'N', n, inverse.data(), n);
  // M⁻¹ = L⁻ᵀ·L⁻¹: its diagonal holds the squared lengths of the columns of L⁻¹.
  for (std::size_t i = 0; i < inverse.rows(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) diagonal[j] += inverse(i, j) * inverse(i, j);
  }
  return diagonal;
}

}  // namespace cone

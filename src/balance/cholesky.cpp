#include "balance/cholesky.hpp"

#include <cblas.h>

#include "cone/error.hpp"

#include "exec/one_blas_thread.hpp"
#include "ops/cholesky.hpp"

namespace cone {

void factorise(const Context& context, Matrix<double>& matrix) {
  if (ops::factorise_cholesky(context, matrix.view())) return;
  Fault fault;
  fault.what = "the kernel matrix plus the penalty is not positive definite";
  fault.advice = "raise --kernel-lambda";
  throw Error(ErrorCode::kData, {fault});
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

std::vector<double> inverse_diagonal(const Context& context, const Matrix<double>& factor) {
  // M⁻¹ = L⁻ᵀ·L⁻¹: its diagonal holds the squared norms of the columns of L⁻¹.
  return ops::inverse_column_squares(context, factor.view());
}

}  // namespace cone

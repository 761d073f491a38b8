#include "linear/symmetric_eigen.hpp"

#include <utility>

#include "cone/error.hpp"

#include "linear/dense.hpp"

namespace cone {

SymmetricEigen decompose_symmetric(const Context& context, Matrix<double> m) {
  context.poll();
  SymmetricEigen out{std::move(m), {}};
  const std::size_t size = out.vectors.rows();
  out.values.resize(size);
  if (size == 0) return out;
  const OneBlasThread guard;
  // A row-major lower triangle is LAPACK's upper one, and its columns are our rows.
  const lapack_int failed =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', static_cast<int>(size), out.vectors.data(),
                     static_cast<int>(size), out.values.data());
  if (failed != 0) {
    throw Error(ErrorCode::kData, Fault{.what = "the values are too large to fit a model to",
                                        .advice = "rescale the outcome and the features"});
  }
  return out;
}

}  // namespace cone

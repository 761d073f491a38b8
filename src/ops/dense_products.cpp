#include <algorithm>
#include <vector>

#include <cblas.h>

#include "exec/one_blas_thread.hpp"
#include "ops/dense.hpp"

namespace cone::ops {
namespace {

/// Rows of a block of A·B and A·B': enough to amortise packing B again in every block.
constexpr std::size_t kBlockRows = 256;
/// The least rows of a block of A'·B, and the most blocks: each block has its own output.
constexpr std::size_t kReducedBlockRows = 1024;
constexpr std::size_t kMaxReducedBlocks = 64;

struct Gemm {
  CBLAS_TRANSPOSE transpose_a;
  CBLAS_TRANSPOSE transpose_b;
  std::size_t rows;
  std::size_t cols;
  std::size_t inner;
  bool accumulate;
};

/// BLAS rejects a leading dimension of 0, even of a matrix without columns.
int leading(std::size_t stride) { return static_cast<int>(std::max<std::size_t>(stride, 1)); }

void run(const Gemm& g, const float* a, std::size_t lda, const float* b, std::size_t ldb, float* c,
         std::size_t ldc) {
  const OneBlasThread guard;
  cblas_sgemm(CblasRowMajor, g.transpose_a, g.transpose_b, static_cast<int>(g.rows),
              static_cast<int>(g.cols), static_cast<int>(g.inner), 1.0F, a, leading(lda), b,
              leading(ldb), g.accumulate ? 1.0F : 0.0F, c, leading(ldc));
}

void run(const Gemm& g, const double* a, std::size_t lda, const double* b, std::size_t ldb,
         double* c, std::size_t ldc) {
  const OneBlasThread guard;
  cblas_dgemm(CblasRowMajor, g.transpose_a, g.transpose_b, static_cast<int>(g.rows),
              static_cast<int>(g.cols), static_cast<int>(g.inner), 1.0, a, leading(lda), b,
              leading(ldb), g.accumulate ? 1.0 : 0.0, c, leading(ldc));
}

template <class Real>
void multiply_row_blocks(const Context& context, CBLAS_TRANSPOSE transpose_b, std::size_t inner,
                         MatrixView<const Real> a, MatrixView<const Real> b, MatrixView<Real> out,
                         bool accumulate) {
  context.for_each_range(out.rows(), kBlockRows, [&](std::size_t begin, std::size_t end) {
    run(Gemm{CblasNoTrans, transpose_b, end - begin, out.cols(), inner, accumulate},
        a.row(begin).data(), a.stride(), b.data(), b.stride(), out.row(begin).data(), out.stride());
  });
}

}  // namespace

template <class Real>
void multiply(const Context& context, MatrixView<const Real> a, MatrixView<const Real> b,
              MatrixView<Real> out, bool accumulate) {
  multiply_row_blocks(context, CblasNoTrans, a.cols(), a, b, out, accumulate);
}

template <class Real>
void multiply_transposed_b(const Context& context, MatrixView<const Real> a,
                           MatrixView<const Real> b, MatrixView<Real> out, bool accumulate) {
  multiply_row_blocks(context, CblasTrans, a.cols(), a, b, out, accumulate);
}

template <class Real>
void multiply_transposed_a(const Context& context, MatrixView<const Real> a,
                           MatrixView<const Real> b, MatrixView<Real> out, bool accumulate) {
  const std::size_t block_rows =
      std::max(kReducedBlockRows, (a.rows() + kMaxReducedBlocks - 1) / kMaxReducedBlocks);
  const auto partials = context.map_ranges<Matrix<Real>>(
      a.rows(), block_rows, [&](std::size_t begin, std::size_t end) {
        Matrix<Real> partial(out.rows(), out.cols());
        run(Gemm{CblasTrans, CblasNoTrans, out.rows(), out.cols(), end - begin, false},
            a.row(begin).data(), a.stride(), b.row(begin).data(), b.stride(), partial.data(),
            partial.cols());
        return partial;
      });
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const std::span<Real> sum = out.row(i);
    if (!accumulate) std::fill(sum.begin(), sum.end(), Real{0});
    for (const Matrix<Real>& partial : partials) {
      const std::span<const Real> row = partial.row(i);
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += row[c];
    }
  }
}

#define CONE_INSTANTIATE(Real)                                                           \
  template void multiply(const Context&, MatrixView<const Real>, MatrixView<const Real>, \
                         MatrixView<Real>, bool);                                        \
  template void multiply_transposed_a(const Context&, MatrixView<const Real>,            \
                                      MatrixView<const Real>, MatrixView<Real>, bool);   \
  template void multiply_transposed_b(const Context&, MatrixView<const Real>,            \
                                      MatrixView<const Real>, MatrixView<Real>, bool)
CONE_INSTANTIATE(float);
CONE_INSTANTIATE(double);
#undef CONE_INSTANTIATE

}  // namespace cone::ops

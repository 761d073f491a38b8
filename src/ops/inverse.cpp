#include "ops/inverse.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <cblas.h>

#include "cone/error.hpp"

#include "exec/one_blas_thread.hpp"
#include "ops/blas_int.hpp"

namespace cone::ops {
namespace {

/// Rows and columns of a tile of the result.
constexpr std::size_t kTile = 256;
/// Columns of L⁻¹ that one piece solves for.
constexpr std::size_t kInverseStrip = 128;
/// Rows of a product's long side that are summed in one piece.
constexpr std::size_t kSummedRows = 4096;

/// The tiles of a lower triangle, largest work first.
std::vector<std::pair<std::size_t, std::size_t>> list_tiles(std::size_t n) {
  std::vector<std::pair<std::size_t, std::size_t>> tiles;
  for (std::size_t i = 0; i < n; i += kTile) {
    for (std::size_t j = 0; j <= i; j += kTile) tiles.emplace_back(i, j);
  }
  return tiles;
}

/// Copies a tile below the diagonal to its mirror image above it.
void mirror_tile(Matrix<double>& out, std::size_t i, std::size_t j) {
  const std::size_t rows = std::min(kTile, out.rows() - i);
  const std::size_t cols = std::min(kTile, out.rows() - j);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < cols && j + c < i + r; ++c) out(j + c, i + r) = out(i + r, j + c);
  }
}

/// L⁻¹, zero above the diagonal, by strips of columns.
Matrix<double> invert_lower(const Context& context, MatrixView<const double> l) {
  const std::size_t n = l.rows();
  const int stride = blas_int(l.stride());
  auto inverse = Matrix<double>::unfilled(n, n);
  context.for_each_range(n, kInverseStrip, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    const std::size_t width = end - begin;
    for (std::size_t i = 0; i < n; ++i) {
      std::fill_n(&inverse(i, begin), width, 0.0);
    }
    for (std::size_t j = begin; j < end; ++j) inverse(j, j) = 1;
    for (std::size_t r = begin; r < n; r += kTile) {
      context.poll();
      const int rows = blas_int(std::min(kTile, n - r));
      if (r > begin) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, blas_int(width),
                    blas_int(r - begin), -1.0, &l(r, begin), stride, &inverse(begin, begin),
                    blas_int(n), 1.0, &inverse(r, begin), blas_int(n));
      }
      cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows,
                  blas_int(width), 1.0, &l(r, r), stride, &inverse(r, begin), blas_int(n));
    }
  });
  return inverse;
}

}  // namespace

Matrix<double> invert_from_cholesky(const Context& context, MatrixView<const double> lower) {
  require(lower.rows() == lower.cols(), "inverse: the factor must be square");
  const std::size_t n = lower.rows();
  const Matrix<double> inverse_factor = invert_lower(context, lower);
  auto out = Matrix<double>::unfilled(n, n);
  const auto tiles = list_tiles(n);
  // (LL')⁻¹ = L⁻ᵀL⁻¹; row k of L⁻¹ is zero right of k.
  context.for_each_range(tiles.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const OneBlasThread guard;
      const auto [i, j] = tiles[t];
      const int rows = blas_int(std::min(kTile, n - i));
      const int cols = blas_int(std::min(kTile, n - j));
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, rows, cols, blas_int(n - i), 1.0,
                  &inverse_factor(i, i), blas_int(n), &inverse_factor(i, j), blas_int(n), 0.0,
                  &out(i, j), blas_int(n));
      mirror_tile(out, i, j);
    }
  });
  return out;
}

void add_row_products(const Context& context, MatrixView<const double> m, Matrix<double>& out) {
  require(m.rows() == out.rows() && out.rows() == out.cols(), "row products: sizes differ");
  if (m.cols() == 0) return;
  const auto tiles = list_tiles(out.rows());
  const int stride = blas_int(m.stride());
  context.for_each_range(tiles.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      const OneBlasThread guard;
      const auto [i, j] = tiles[t];
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, blas_int(std::min(kTile, m.rows() - i)),
                  blas_int(std::min(kTile, m.rows() - j)), blas_int(m.cols()), 1.0, &m(i, 0),
                  stride, &m(j, 0), stride, 1.0, &out(i, j), blas_int(out.cols()));
      mirror_tile(out, i, j);
    }
  });
}

Matrix<double> multiply(const Context& context, MatrixView<const double> a,
                        MatrixView<const double> b) {
  require(a.cols() == b.rows(), "product: sizes differ");
  Matrix<double> out(a.rows(), b.cols());
  if (out.values().empty() || a.cols() == 0) return out;
  context.for_each_range(a.rows(), kTile, [&](std::size_t begin, std::size_t end) {
    const OneBlasThread guard;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, blas_int(end - begin),
                blas_int(b.cols()), blas_int(a.cols()), 1.0, &a(begin, 0), blas_int(a.stride()),
                b.data(), blas_int(b.stride()), 0.0, &out(begin, 0), blas_int(out.cols()));
  });
  return out;
}

Matrix<double> multiply_transposed(const Context& context, MatrixView<const double> a,
                                   MatrixView<const double> b) {
  require(a.rows() == b.rows(), "product: sizes differ");
  Matrix<double> out(a.cols(), b.cols());
  if (out.values().empty() || a.rows() == 0) return out;
  const auto parts = context.map_ranges<Matrix<double>>(
      a.rows(), kSummedRows, [&](std::size_t begin, std::size_t end) {
        const OneBlasThread guard;
        Matrix<double> part(a.cols(), b.cols());
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, blas_int(a.cols()), blas_int(b.cols()),
                    blas_int(end - begin), 1.0, &a(begin, 0), blas_int(a.stride()), &b(begin, 0),
                    blas_int(b.stride()), 0.0, part.data(), blas_int(part.cols()));
        return part;
      });
  for (const Matrix<double>& part : parts) {
    for (std::size_t k = 0; k < out.values().size(); ++k) out.values()[k] += part.values()[k];
  }
  return out;
}

}  // namespace cone::ops

#include "linear/dense.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "exec/large_matrix.hpp"
#include "ops/columns.hpp"

namespace cone {
namespace {

/// Limits on the rows expanded to dense storage and the multiplications per call: a fraction of a
/// second.
constexpr std::size_t kBlockRows = 256;
constexpr double kBlockProducts = 2e9;

/// Up to this many columns, a few hundred rows are multiplied faster than BLAS can pack them.
constexpr std::size_t kNarrow = 64;

/// Rows per BLAS call for a product of `num_cols` columns.
std::size_t rows_per_block(std::size_t num_cols) {
  constexpr double kFewest = 256;
  constexpr double kMost = 65536;
  const auto width = static_cast<double>(std::max<std::size_t>(1, num_cols));
  return static_cast<std::size_t>(std::clamp(kBlockProducts / (width * width), kFewest, kMost));
}

void add_outer_products(const Context& context, const SparseMatrix& m, Matrix<double>& gram) {
  for (std::size_t i = 0; i < m.rows(); ++i) {
    context.poll();
    const SparseMatrix::Row row = m.row(i);
    for (std::size_t a = 0; a < row.size(); ++a) {
      const std::span<double> out = gram.row(row.columns[a]);
      const double value = row.values[a];
      for (std::size_t b = 0; b <= a; ++b) out[row.columns[b]] += value * row.values[b];
    }
  }
}

void add_dense_blocks(const Context& context, const SparseMatrix& m, Matrix<double>& gram) {
  const OneBlasThread guard;
  const int size = static_cast<int>(m.cols());
  const auto width = static_cast<double>(m.cols());
  const auto block_rows = static_cast<std::size_t>(
      std::clamp(kBlockProducts / (width * width), 16.0, static_cast<double>(kBlockRows)));
  for (std::size_t begin = 0; begin < m.rows(); begin += block_rows) {
    context.poll();
    Matrix<double> block(std::min(block_rows, m.rows() - begin), m.cols());
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const SparseMatrix::Row row = m.row(begin + i);
      for (std::size_t k = 0; k < row.size(); ++k) block(i, row.columns[k]) = row.values[k];
    }
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, size, static_cast<int>(block.rows()), 1.0,
                block.data(), size, 1.0, gram.data(), size);
  }
}

int as_int(std::size_t value) { return static_cast<int>(value); }

}  // namespace

void multiply_columns(MatrixView<const double> columns, std::span<const double> u,
                      std::span<double> out) {
  if (columns.cols() == 0) return;  // BLAS needs at least one row
  const OneBlasThread guard;
  cblas_dgemv(CblasRowMajor, CblasTrans, as_int(columns.rows()), as_int(columns.cols()), 1.0,
              columns.data(), as_int(columns.stride()), u.data(), 1, 0.0, out.data(), 1);
}

void multiply_columns_transposed(MatrixView<const double> columns, std::span<const double> r,
                                 std::span<double> out) {
  if (columns.cols() == 0) {
    std::ranges::fill(out, 0.0);
    return;
  }
  const OneBlasThread guard;
  cblas_dgemv(CblasRowMajor, CblasNoTrans, as_int(columns.rows()), as_int(columns.cols()), 1.0,
              columns.data(), as_int(columns.stride()), r.data(), 1, 0.0, out.data(), 1);
}

Matrix<double> column_products(const Context& context, MatrixView<const double> columns) {
  const OneBlasThread guard;
  Matrix<double> gram = make_zero_matrix(context, columns.rows(), columns.rows());
  const int size = as_int(columns.rows());
  const std::size_t block_rows = rows_per_block(columns.rows());
  for (std::size_t begin = 0; begin < columns.cols(); begin += block_rows) {
    context.poll();
    const std::size_t count = std::min(block_rows, columns.cols() - begin);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, size, as_int(count), 1.0,
                columns.data() + begin, as_int(columns.stride()), 1.0, gram.data(), size);
  }
  return gram;
}

void add_row_products(const Context& context, MatrixView<const double> columns,
                      Matrix<double>& gram) {
  const OneBlasThread guard;
  constexpr std::size_t kColumnsAtATime = 32;  // at 8192 rows, a fraction of a second
  for (std::size_t begin = 0; begin < columns.rows(); begin += kColumnsAtATime) {
    context.poll();
    const std::size_t count = std::min(kColumnsAtATime, columns.rows() - begin);
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, as_int(columns.cols()), as_int(count), 1.0,
                columns.row(begin).data(), as_int(columns.stride()), 1.0, gram.data(),
                as_int(gram.cols()));
  }
}

void add_weighted_products(MatrixView<const double> columns, std::span<const double> weights,
                           MatrixView<double> scratch, Matrix<double>& products) {
  const std::size_t width = columns.rows();
  const std::size_t count = columns.cols();
  if (width == 0) return;
  const bool is_narrow = width <= kNarrow;
  std::vector<double> factor(weights.begin(), weights.end());
  if (!is_narrow) {
    for (double& value : factor) value = std::sqrt(value);
  }
  for (std::size_t j = 0; j < width; ++j) {
    const double* const from = columns.row(j).data();
    double* const to = scratch.row(j).data();
    for (std::size_t i = 0; i < count; ++i) to[i] = factor[i] * from[i];
  }
  const MatrixView<const double> scaled(scratch.data(), width, count, scratch.stride());
  if (is_narrow) {
    ops::add_column_products(columns, scaled, products.view());
    return;
  }
  const OneBlasThread guard;
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, as_int(width), as_int(count), 1.0,
              scaled.data(), as_int(scaled.stride()), 1.0, products.data(), as_int(width));
}

Matrix<double> gram_matrix(const Context& context, const SparseMatrix& m) {
  double scattered = 0;
  for (std::size_t i = 0; i < m.rows(); ++i) {
    const auto entries = static_cast<double>(m.row(i).size());
    scattered += entries * entries;
  }
  const auto rows = static_cast<double>(m.rows());
  const auto cols = static_cast<double>(m.cols());
  Matrix<double> gram = make_zero_matrix(context, m.cols(), m.cols());
  if (scattered * kDenseSpeedup <= rows * cols * cols) {
    add_outer_products(context, m, gram);
  } else {
    add_dense_blocks(context, m, gram);
  }
  return gram;
}

}  // namespace cone

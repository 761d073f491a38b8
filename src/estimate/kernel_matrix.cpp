#include "estimate/kernel_matrix.hpp"

#include <algorithm>
#include <cmath>

#include <cblas.h>

#include "cone/base/numeric.hpp"
#include "cone/exec/one_blas_thread.hpp"

namespace cone {
namespace {

/// Rows of the matrix that one task fills.
constexpr std::size_t kRowsPerTask = 128;
/// How many times faster a multiplication is in a dense kernel than in a scattered update.
constexpr double kDenseAdvantage = 16;
/// A squared distance below this share of the squared lengths is rounding.
constexpr double kDistanceRounding = 1e-13;

/// Turns the products x_i·x_j of a piece of rows into squared distances.
void distances_from_products(std::size_t begin, std::size_t end, std::span<const double> lengths,
                             Matrix<double>& products) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<double> row = products.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double total = lengths[i] + lengths[j];
      const double squared = total - 2 * row[j];
      row[j] = squared > kDistanceRounding * total ? squared : 0.0;
    }
    row[i] = 0;
  }
}

/// The rows in the order given, less the mean of each column: distances stay, but far from the
/// origin they would be small differences of large numbers.
Matrix<double> centred_rows(MatrixView<const double> rows, std::span<const std::size_t> order) {
  std::vector<CompensatedSum> sums(rows.cols());
  for (const std::size_t node : order) {
    for (std::size_t c = 0; c < rows.cols(); ++c) sums[c].add(rows(node, c));
  }
  Matrix<double> centred(order.size(), rows.cols());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (std::size_t c = 0; c < rows.cols(); ++c) {
      centred(i, c) = rows(order[i], c) - sums[c].value() / static_cast<double>(order.size());
    }
  }
  return centred;
}

Matrix<double> scattered_distances(const Context& context, const SparseMatrix& rows) {
  const SparseMatrix columns = rows.transposed();
  std::vector<double> lengths(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SparseMatrix::Row row = rows.row(i);
    lengths[i] = dot(row.values, row.values);
  }
  Matrix<double> result(rows.rows(), rows.rows());
  context.for_each_range(rows.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SparseMatrix::Row row = rows.row(i);
      const std::span<double> out = result.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const SparseMatrix::Row column = columns.row(row.columns[k]);
        for (std::size_t m = 0; m < column.size(); ++m) {
          out[column.columns[m]] += row.values[k] * column.values[m];
        }
      }
    }
    distances_from_products(begin, end, lengths, result);
  });
  return result;
}

bool dense_is_cheaper(const SparseMatrix& rows) {
  std::vector<double> num_in_column(rows.cols(), 0.0);
  for (const std::uint32_t column : rows.columns()) ++num_in_column[column];
  const auto n = static_cast<double>(rows.rows());
  return dot(num_in_column, num_in_column) * kDenseAdvantage >
         n * n * static_cast<double>(rows.cols());
}

}  // namespace

Matrix<double> squared_distances(const Context& context, MatrixView<const double> rows,
                                 std::span<const std::size_t> order) {
  const Matrix<double> x = centred_rows(rows, order);
  std::vector<double> lengths(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) lengths[i] = dot(x.row(i), x.row(i));
  Matrix<double> result(x.rows(), x.rows());
  context.for_each_range(x.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    if (x.cols() > 0) {
      const OneBlasThread guard;
      const int n = static_cast<int>(x.rows());
      const int width = static_cast<int>(x.cols());
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(end - begin), n, width,
                  1.0, x.row(begin).data(), width, x.data(), width, 0.0, result.row(begin).data(),
                  n);
    }
    distances_from_products(begin, end, lengths, result);
  });
  return result;
}

Matrix<double> squared_distances(const Context& context, const SparseMatrix& rows,
                                 std::span<const std::size_t> order) {
  if (dense_is_cheaper(rows)) {
    Matrix<double> dense(rows.rows(), rows.cols());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      const SparseMatrix::Row row = rows.row(i);
      for (std::size_t k = 0; k < row.size(); ++k) dense(i, row.columns[k]) = row.values[k];
    }
    return squared_distances(context, dense.view(), order);
  }
  return scattered_distances(
      context, rows.select_rows(std::vector<std::uint32_t>(order.begin(), order.end())));
}

double median_distance(const Context& context, const Matrix<double>& squared) {
  const auto pieces = context.map_ranges<std::vector<double>>(
      squared.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
        std::vector<double> positive;
        for (std::size_t i = begin; i < end; ++i) {
          for (const double d : squared.row(i).first(i)) {
            if (d > 0) positive.push_back(d);
          }
        }
        return positive;
      });
  std::vector<double> all;
  for (const std::vector<double>& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  if (all.empty()) return 1;
  const auto upper = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), upper, all.end());
  if (all.size() % 2 == 1) return std::sqrt(*upper);
  return 0.5 * (std::sqrt(*upper) + std::sqrt(*std::max_element(all.begin(), upper)));
}

void apply_gaussian_kernel(const Context& context, double bandwidth, Matrix<double>& squared) {
  const double scale = -0.5 / (bandwidth * bandwidth);
  context.for_each_range(squared.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (double& value : squared.row(i)) value = std::exp(scale * value);
    }
  });
}

}  // namespace cone

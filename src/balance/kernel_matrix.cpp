#include "balance/kernel_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include <cblas.h>

#include "base/numeric.hpp"
#include "exec/one_blas_thread.hpp"

namespace cone {
namespace {

/// The most rows of the matrix that one task fills, and multiplications in one call.
constexpr std::size_t kRowsPerTask = 128;
constexpr double kProductsPerTask = 2e9;
/// How many times faster a multiplication is in a dense kernel than in a scattered update.
constexpr double kDenseAdvantage = 16;
/// A squared distance below this share of the squared norms is rounding.
constexpr double kDistanceRounding = 1e-13;

/// Turns the products x_i·x_j of a piece of rows into squared distances.
void distances_from_products(std::size_t begin, std::size_t end, std::span<const double> norms,
                             Matrix<double>& products) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::span<double> row = products.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double total = norms[i] + norms[j];
      const double squared = total - 2 * row[j];
      row[j] = squared > kDistanceRounding * total ? squared : 0.0;
    }
    row[i] = 0;
  }
}

/// The rows in the order given, centred: distances do not change, but far from the origin they
/// would be small differences of large numbers.
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
  std::vector<double> norms(rows.rows());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    const SparseMatrix::Row row = rows.row(i);
    norms[i] = dot(row.values, row.values);
  }
  auto result = Matrix<double>::unfilled(rows.rows(), rows.rows());
  context.for_each_range(rows.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const SparseMatrix::Row row = rows.row(i);
      const std::span<double> out = result.row(i);
      context.poll();
      std::ranges::fill(out, 0.0);
      for (std::size_t k = 0; k < row.size(); ++k) {
        const SparseMatrix::Row column = columns.row(row.columns[k]);
        for (std::size_t m = 0; m < column.size(); ++m) {
          out[column.columns[m]] += row.values[k] * column.values[m];
        }
      }
    }
    distances_from_products(begin, end, norms, result);
  });
  return result;
}

/// Visits the positive values below the diagonal of rows [begin, end).
template <class Visit>
void for_each_positive(const Matrix<double>& squared, std::size_t begin, std::size_t end,
                       const Visit& visit) {
  for (std::size_t i = begin; i < end; ++i) {
    for (const double d : squared.row(i).first(i)) {
      if (d > 0) visit(d);
    }
  }
}

struct OrderStatistic {
  double value;
  std::uint64_t num_below;  ///< positive values that are smaller
};

/// The positive value below the diagonal of rank `rank`, without a copy: positive numbers are
/// ordered as their bits, so each pass counts the next 16 bits of the values that agree so far.
OrderStatistic order_statistic(const Context& context, const Matrix<double>& squared,
                               std::uint64_t rank) {
  constexpr unsigned kDigitBits = 16;
  constexpr std::uint64_t kDigits = std::uint64_t{1} << kDigitBits;
  constexpr std::size_t kMostTables = 16;
  const std::size_t grain =
      std::max(kRowsPerTask, (squared.rows() + kMostTables - 1) / kMostTables);
  std::uint64_t known = 0;  // the leading bits of the value
  std::uint64_t num_below = 0;
  for (int shift = 64 - static_cast<int>(kDigitBits); shift >= 0;
       shift -= static_cast<int>(kDigitBits)) {
    const auto tables = context.map_ranges<std::vector<std::uint64_t>>(
        squared.rows(), grain, [&](std::size_t begin, std::size_t end) {
          std::vector<std::uint64_t> table(kDigits, 0);
          for (std::size_t first = begin; first < end; first += kRowsPerTask) {
            context.poll();
            for_each_positive(squared, first, std::min(end, first + kRowsPerTask), [&](double d) {
              const std::uint64_t bits = std::bit_cast<std::uint64_t>(d) >> shift;
              if (bits >> kDigitBits == known) ++table[bits & (kDigits - 1)];
            });
          }
          return table;
        });
    std::uint64_t digit = 0;
    for (;; ++digit) {
      std::uint64_t here = 0;
      for (const std::vector<std::uint64_t>& table : tables) here += table[digit];
      if (num_below + here > rank) break;
      num_below += here;
    }
    known = known << kDigitBits | digit;
  }
  return {std::bit_cast<double>(known), num_below};
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
  std::vector<double> norms(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) norms[i] = dot(x.row(i), x.row(i));
  auto result = Matrix<double>::unfilled(x.rows(), x.rows());
  const double products_per_row =
      std::max(1.0, static_cast<double>(x.rows()) * static_cast<double>(x.cols()));
  const auto rows_per_task = static_cast<std::size_t>(
      std::clamp(kProductsPerTask / products_per_row, 1.0, static_cast<double>(kRowsPerTask)));
  context.for_each_range(x.rows(), rows_per_task, [&](std::size_t begin, std::size_t end) {
    // Allocating pages is slow: row by row, polling for cancellation in between.
    for (std::size_t i = begin; i < end; ++i) {
      context.poll();
      std::ranges::fill(result.row(i), 0.0);
    }
    if (x.cols() > 0) {
      const OneBlasThread guard;
      const int n = static_cast<int>(x.rows());
      const int width = static_cast<int>(x.cols());
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, static_cast<int>(end - begin), n, width,
                  1.0, x.row(begin).data(), width, x.data(), width, 0.0, result.row(begin).data(),
                  n);
    }
    distances_from_products(begin, end, norms, result);
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
  std::uint64_t count = 0;
  for (const std::uint64_t positive : context.map_ranges<std::uint64_t>(
           squared.rows(), kRowsPerTask, [&](std::size_t begin, std::size_t end) {
             std::uint64_t found = 0;
             for_each_positive(squared, begin, end, [&](double) { ++found; });
             return found;
           })) {
    count += positive;
  }
  if (count == 0) return 1;
  const auto [upper, num_below] = order_statistic(context, squared, count / 2);
  if (count % 2 == 1) return std::sqrt(upper);
  double lower = upper;
  if (num_below == count / 2) {  // the value before it is smaller
    lower = 0;
    for (const double largest : context.map_ranges<double>(
             squared.rows(), kRowsPerTask, [&, middle = upper](std::size_t begin, std::size_t end) {
               double found = 0;
               for_each_positive(squared, begin, end, [&](double d) {
                 if (d < middle) found = std::max(found, d);
               });
               return found;
             })) {
      lower = std::max(lower, largest);
    }
  }
  return 0.5 * (std::sqrt(upper) + std::sqrt(lower));
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

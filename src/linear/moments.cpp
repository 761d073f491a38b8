#include "linear/moments.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"
#include "linear/dense.hpp"
#include "linear/symmetric_eigen.hpp"
#include "ops/columns.hpp"

namespace cone {
namespace {

/// Rows expanded to dense storage at a time: they stay in the cache for the product.
constexpr std::size_t kMomentRows = 256;

/// Typical number of conjugate-gradient iterations per strength, each with two products.
constexpr double kUsualIterations = 8;
/// An eigenvalue decomposition cannot be interrupted; at this size it takes some 50 ms.
constexpr std::size_t kMostColumns = 512;
/// Multiplications of the decomposition, in units of columns³.
constexpr double kDecompositionProducts = 9;

/// Rows of (x, y) minus the origin, transposed: one column per row of `out`.
void read_shifted_rows(const FeatureMatrix& x, std::span<const double> y,
                       std::span<const std::uint32_t> rows, std::span<const double> origin,
                       MatrixView<double> out) {
  for (std::size_t j = 0; j < x.cols(); ++j) {
    std::fill(out.row(j).begin(), out.row(j).end(), -origin[j]);
  }
  constexpr std::size_t kRowsAtATime = 8;  // a cache line of every column
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowsAtATime) {
    const std::size_t count = std::min(kRowsAtATime, rows.size() - begin);
    const double* from[kRowsAtATime];
    for (std::size_t i = 0; i < count; ++i) from[i] = x.dense().row(rows[begin + i]).data();
    for (std::size_t d = 0; d < x.dense_columns().size(); ++d) {
      double* const to = &out(x.dense_columns()[d], begin);
      for (std::size_t i = 0; i < count; ++i) to[i] += from[i][d];
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const SparseMatrix::Row row = x.sparse().row(rows[i]);
    for (std::size_t k = 0; k < row.size(); ++k) out(row.columns[k], i) += row.values[k];
    out(x.cols(), i) = y[rows[i]] - origin[x.cols()];
  }
}

}  // namespace

bool prefers_moments(const Context& context, const FeatureMatrix& x, std::size_t num_strengths) {
  if (x.dense_columns().empty() || x.cols() > kMostColumns) return false;
  const double rows = context.comm().count(x.rows());
  const auto width = static_cast<double>(x.cols() + 1);
  const double by_moments =
      (rows * width * width / 2 + kDecompositionProducts * width * width * width) / kDenseSpeedup;
  const double by_iterations = static_cast<double>(num_strengths) * kUsualIterations * 2 *
                               context.comm().count(x.num_stored());
  return by_moments <= by_iterations;
}

Moments measure_moments(const Context& context, const FeatureMatrix& x, std::span<const double> y,
                        std::span<const std::uint32_t> rows, std::span<const double> origin) {
  const std::size_t width = x.cols() + 1;
  Moments out{.count = context.comm().count(rows.size()),
              .mean = std::vector<double>(width, 0.0),
              .products = Matrix<double>(width, width)};
  Matrix<double> buffer(width, kMomentRows);
  Matrix<double> scratch = Matrix<double>::unfilled(width, kMomentRows);
  const std::vector<double> ones(kMomentRows, 1.0);
  for (std::size_t begin = 0; begin < rows.size(); begin += kMomentRows) {
    context.poll();
    const std::size_t count = std::min(kMomentRows, rows.size() - begin);
    const MatrixView<double> block(buffer.data(), width, count, kMomentRows);
    read_shifted_rows(x, y, rows.subspan(begin, count), origin, block);
    ops::add_columns_transposed(block, std::span(ones).first(count), out.mean);
    add_weighted_products(block, std::span(ones).first(count), scratch.view(), out.products);
  }
  if (out.count == 0) return out;
  context.comm().allreduce(out.mean);
  context.comm().allreduce(out.products.values());
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b <= a; ++b) {
      out.products(a, b) -= out.mean[a] * (out.mean[b] / out.count);
    }
  }
  for (std::size_t j = 0; j < width; ++j) out.mean[j] = origin[j] + out.mean[j] / out.count;
  return out;
}

Moments merge_moments(const Moments& a, const Moments& b) {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  Moments out = a;
  out.count += b.count;
  const double share = b.count / out.count;
  std::vector<double> difference(a.mean.size());
  for (std::size_t j = 0; j < difference.size(); ++j) {
    difference[j] = b.mean[j] - a.mean[j];
    out.mean[j] += share * difference[j];
  }
  for (std::size_t j = 0; j < difference.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      out.products(j, k) += b.products(j, k) + a.count * share * (difference[j] * difference[k]);
    }
  }
  return out;
}

RidgePath::RidgePath(const Context& context, const Moments& fit)
    : mean_(fit.mean), with_y_(fit.mean.size() - 1) {
  const std::size_t size = with_y_.size();
  Matrix<double> of_features(size, size);
  for (std::size_t a = 0; a < size; ++a) {
    std::copy_n(fit.products.row(a).begin(), a + 1, of_features.row(a).begin());
  }
  SymmetricEigen eigen = decompose_symmetric(context, std::move(of_features));
  directions_ = std::move(eigen.vectors);
  eigenvalues_ = std::move(eigen.values);
  const std::span<const double> with_y = fit.products.row(size).first(size);
  for (std::size_t k = 0; k < size; ++k) {
    eigenvalues_[k] = std::max(eigenvalues_[k], 0.0);
    with_y_[k] = dot(directions_.row(k), with_y);
  }
}

std::vector<double> RidgePath::find_slopes(double strength) const {
  require(strength > 0, "ridge path: the strength must be positive");
  std::vector<double> slopes(eigenvalues_.size(), 0.0);
  if (std::isinf(strength)) return slopes;
  for (std::size_t k = 0; k < slopes.size(); ++k) {
    const double amount = with_y_[k] / (eigenvalues_[k] + strength);
    for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] += amount * directions_(k, j);
  }
  return slopes;
}

double RidgePath::find_intercept(std::span<const double> slopes) const {
  return mean_.back() - dot(std::span(mean_).first(slopes.size()), slopes);
}

double sum_squared_residuals(const Moments& moments, std::span<const double> slopes,
                             double intercept) {
  const std::size_t size = slopes.size();
  // With (−slopes, 1): the centred part, plus the contribution of the mean residual.
  std::vector<double> direction(slopes.begin(), slopes.end());
  for (double& value : direction) value = -value;
  direction.push_back(1);
  double squares = 0;
  for (std::size_t a = 0; a <= size; ++a) {
    double product = 0.5 * moments.products(a, a) * direction[a];
    for (std::size_t b = 0; b < a; ++b) product += moments.products(a, b) * direction[b];
    squares += 2 * direction[a] * product;
  }
  const double mean_residual = dot(moments.mean, direction) - intercept;
  return squares + moments.count * (mean_residual * mean_residual);
}

}  // namespace cone

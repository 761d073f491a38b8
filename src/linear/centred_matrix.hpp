#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/feature_matrix.hpp"
#include "base/matrix.hpp"
#include "exec/context.hpp"

namespace cone {

/// X with the mean of every column taken off, constant columns left out, and still sparse:
/// X_c = S − 1m'. Taking n·m² off a column's sum of squares cancels where the mean dwarfs the
/// spread, so columns more than half full are stored centred, with all their entries, and have
/// m = 0; for the others m² ≤ variance and nothing is lost. At most twice the entries of X.
class CentredMatrix {
 public:
  CentredMatrix(const Context& context, const FeatureMatrix& x);

  std::size_t rows() const { return sparse_.rows(); }
  /// Columns that are not constant.
  std::size_t cols() const { return kept_.size(); }

  /// out = X_c u. O(entries).
  void multiply(std::span<const double> u, std::span<double> out) const;
  /// out = X_c' r. O(entries).
  void multiply_transposed(std::span<const double> r, std::span<double> out) const;

  /// The lower triangle of X_c'X_c, cols × cols.
  Matrix<double> column_gram(const Context& context) const;
  /// The lower triangle of X_c X_c', rows × rows.
  Matrix<double> row_gram(const Context& context) const;
  /// Σ of squares of every column: the diagonal of column_gram().
  std::span<const double> sums_of_squares() const { return sums_of_squares_; }

  /// Columns of X, the constant ones included.
  std::size_t num_source_cols() const { return num_source_cols_; }

  /// Which columns of X these are, ascending, and their means in X.
  std::span<const std::uint32_t> kept() const { return kept_; }
  std::span<const double> means() const { return means_; }
  /// Slopes of the kept columns as slopes of all columns of X (0 for the constant ones).
  std::vector<double> expand(std::span<const double> slopes) const;
  /// What the centring adds to an intercept: −means·slopes.
  double intercept_shift(std::span<const double> slopes) const;

 private:
  std::size_t num_source_cols_;
  std::vector<std::uint32_t> kept_;
  std::vector<double> means_;
  SparseMatrix sparse_;          // S
  std::vector<double> offsets_;  // m
  std::vector<double> sums_of_squares_;
};

}  // namespace cone

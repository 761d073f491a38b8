#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "exec/statistics.hpp"

namespace cone {

/// X with centred columns, without constant ones, in two blocks.
///
/// Dense columns of X are stored centred, and multiplied by BLAS on one thread.
///
/// The others stay sparse: X_c = S − 1m'. Subtracting n·m² from a column's sum of squares cancels
/// where the mean dwarfs the spread, so columns more than half full are stored centred, with all
/// their entries, and have m = 0; for the others m² ≤ variance and nothing is lost. At most twice
/// the entries of X.
///
/// Columns are reordered: the dense ones, then the sparse ones; see kept().
///
/// Where rows are distributed over several ranks (Context::comm), the rows are those of this
/// rank, and sums over rows are over all ranks.
class CentredMatrix {
 public:
  /// Of the rows named by `rows`, in that order.
  CentredMatrix(const Context& context, const FeatureMatrix& x,
                std::span<const std::uint32_t> rows);
  /// Of all rows.
  CentredMatrix(const Context& context, const FeatureMatrix& x);

  std::size_t rows() const { return sparse_.rows(); }
  /// Rows of all ranks.
  double num_all_rows() const { return num_all_rows_; }
  const Communicator& comm() const { return *comm_; }
  /// Columns that are not constant.
  std::size_t cols() const { return kept_.size(); }
  /// How many of them are dense.
  std::size_t num_dense() const { return dense_.rows(); }
  /// Values that a product with a vector reads, over all ranks.
  double num_stored() const { return num_stored_; }

  /// out = X_c u. O(values stored).
  void multiply(std::span<const double> u, std::span<double> out) const;
  /// out = X_c' r. O(values stored).
  void multiply_transposed(std::span<const double> r, std::span<double> out) const;

  /// `count` rows of X_c from row `begin` on, transposed and dense: cols × count. In `buffer`,
  /// unless they are stored like that.
  MatrixView<const double> read_rows(std::size_t begin, std::size_t count,
                                     std::vector<double>& buffer) const;

  /// The lower triangle of X_c'X_c, cols × cols.
  Matrix<double> column_gram(const Context& context) const;
  /// The lower triangle of X_c X_c', rows × rows. For a process that has all rows.
  Matrix<double> row_gram(const Context& context) const;
  /// Σ of squares of every column: the diagonal of column_gram().
  std::span<const double> sums_of_squares() const { return sums_of_squares_; }

  /// Columns of X, the constant ones included.
  std::size_t num_source_cols() const { return num_source_cols_; }
  /// The column of X that each one is, and its mean in X.
  std::span<const std::uint32_t> kept() const { return kept_; }
  std::span<const double> means() const { return means_; }
  /// Slopes of the kept columns expanded to all columns of X (0 for constant ones).
  std::vector<double> expand(std::span<const double> slopes) const;
  /// The contribution of centring to the intercept: −means·slopes.
  double intercept_shift(std::span<const double> slopes) const;

 private:
  void take_sparse(const Context& context, const SparseMatrix& x);
  void multiply_sparse_transposed(std::span<const double> r, std::span<double> out_sparse) const;
  Matrix<double> gram_of_own_rows(const Context& context) const;

  const Communicator* comm_;
  std::size_t num_source_cols_;
  double num_all_rows_ = 0;
  double num_stored_ = 0;
  std::vector<std::uint32_t> kept_;
  std::vector<double> means_;
  std::vector<double> sums_of_squares_;
  Matrix<double> dense_;         // dense columns × rows, centred
  SparseMatrix sparse_;          // S; its column k is column num_dense() + k
  std::vector<double> offsets_;  // m, one per column of S
};

}  // namespace cone

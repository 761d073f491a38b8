#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Matrices, and sparse and mixed feature matrices.

namespace cone {

/// Memory that starts on a cache line. Blocks of several megabytes start on a huge page and ask the
/// system for such pages: gathering rows in random order then has far fewer TLB misses.
/// Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory, std::size_t bytes) noexcept;

/// A vector register as wide as a cache line then never loads from two of them.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { free_aligned(memory, count * sizeof(T)); }
  /// Default construction leaves an element uninitialised: clearing gigabytes takes seconds.
  template <class U>
  void construct(U* address) {
    ::new (static_cast<void*>(address)) U;
  }
  template <class U, class... Values>
  void construct(U* address, Values&&... values) {
    ::new (static_cast<void*>(address)) U(std::forward<Values>(values)...);
  }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

/// A row-major view of `rows` × `cols` values; row i starts at data + i · stride.
template <class T>
class MatrixView {
 public:
  MatrixView() = default;
  MatrixView(T* data, std::size_t rows, std::size_t cols) : MatrixView(data, rows, cols, cols) {}
  MatrixView(T* data, std::size_t rows, std::size_t cols, std::size_t stride)
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  /// A view of mutable values is also a view of constant ones.
  template <class U>
  requires(std::is_same_v<const U, T>)
      MatrixView(MatrixView<U> other)  // NOLINT(google-explicit-constructor)
      : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const { return data_; }
  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::size_t stride() const { return stride_; }
  std::span<T> row(std::size_t i) const { return {data_ + i * stride_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) const { return data_[i * stride_ + j]; }

 private:
  T* data_ = nullptr;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::size_t stride_ = 0;
};

/// An owning row-major matrix, zero on construction. Starts on a cache line.
template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols, T value = T{})
      : values_(rows * cols, value), rows_(rows), cols_(cols) {}

  /// A matrix with uninitialised values. Takes no time: pages are mapped at the first write.
  static Matrix unfilled(std::size_t rows, std::size_t cols) {
    Matrix matrix;
    matrix.values_ = std::vector<T, AlignedAllocator<T>>(rows * cols);
    matrix.rows_ = rows;
    matrix.cols_ = cols;
    return matrix;
  }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  std::span<T> values() { return values_; }
  std::span<const T> values() const { return values_; }
  std::span<T> row(std::size_t i) { return {values_.data() + i * cols_, cols_}; }
  std::span<const T> row(std::size_t i) const { return {values_.data() + i * cols_, cols_}; }
  T& operator()(std::size_t i, std::size_t j) { return values_[i * cols_ + j]; }
  const T& operator()(std::size_t i, std::size_t j) const { return values_[i * cols_ + j]; }

  MatrixView<T> view() { return {values_.data(), rows_, cols_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, cols_}; }

 private:
  std::vector<T, AlignedAllocator<T>> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

/// Compressed sparse rows. Columns ascend within a row and appear once; explicit zeros are allowed.
/// 12 bytes per entry, 8 bytes per row.
class SparseMatrix {
 public:
  struct Row {
    std::span<const std::uint32_t> columns;
    std::span<const double> values;
    std::size_t size() const { return columns.size(); }
  };

  SparseMatrix() : offsets_(1, 0) {}
  /// Takes finished arrays; throws Error(kInternal) unless they form a valid matrix (checked in
  /// one pass: offsets ascend, columns ascend within a row and are below num_cols).
  SparseMatrix(std::size_t num_cols, std::vector<std::uint64_t> offsets,
               std::vector<std::uint32_t> columns, std::vector<double> values);

  std::size_t rows() const { return offsets_.size() - 1; }
  std::size_t cols() const { return num_cols_; }
  std::size_t num_entries() const { return columns_.size(); }
  Row row(std::size_t i) const {
    const std::uint64_t begin = offsets_[i];
    const std::uint64_t size = offsets_[i + 1] - begin;
    return {{columns_.data() + begin, size}, {values_.data() + begin, size}};
  }

  std::span<const std::uint64_t> offsets() const { return offsets_; }
  std::span<const std::uint32_t> columns() const { return columns_; }
  std::span<const double> values() const { return values_; }

  /// The rows named by `rows`, in that order. O(entries taken).
  SparseMatrix select_rows(std::span<const std::uint32_t> rows) const;
  /// O(rows + cols + entries).
  SparseMatrix transposed() const;

 private:
  std::size_t num_cols_ = 0;
  std::vector<std::uint64_t> offsets_;
  std::vector<std::uint32_t> columns_;
  std::vector<double> values_;
};

/// The dot product of one sparse row with a dense vector of the matrix's width.
inline double dot(const SparseMatrix::Row& row, std::span<const double> dense) {
  double sum = 0;
  for (std::size_t k = 0; k < row.size(); ++k) sum += row.values[k] * dense[row.columns[k]];
  return sum;
}

class Checksum;

/// Rows × columns in two blocks. Some columns are dense: every value is stored, 8 bytes each, row
/// by row. All others are in compressed sparse rows: 12 bytes per entry. Where a column is stored
/// decides speed and memory, never what the matrix is.
class FeatureMatrix {
 public:
  struct Row {
    std::span<const std::uint32_t> dense_columns;  ///< ascending
    std::span<const double> dense;                 ///< one value per dense column
    SparseMatrix::Row sparse;                      ///< of all other columns

    /// body(column, value) in ascending order of the columns: every entry of the sparse block, and
    /// what is not zero of the dense one. It is the row as a SparseMatrix would hold it.
    template <class Body>
    void for_each(const Body& body) const {
      std::size_t k = 0;
      for (std::size_t d = 0; d < dense.size(); ++d) {
        for (; k < sparse.size() && sparse.columns[k] < dense_columns[d]; ++k) {
          body(sparse.columns[k], sparse.values[k]);
        }
        if (dense[d] != 0) body(dense_columns[d], dense[d]);
      }
      for (; k < sparse.size(); ++k) body(sparse.columns[k], sparse.values[k]);
    }
    /// O(log columns).
    double at(std::uint32_t column) const;
  };

  FeatureMatrix() = default;
  /// Every column sparse.
  FeatureMatrix(SparseMatrix sparse)  // NOLINT(google-explicit-constructor)
      : sparse_(std::move(sparse)) {}
  /// Every column dense.
  explicit FeatureMatrix(Matrix<double> dense);
  /// `sparse` has all columns of the matrix, and no entry in the dense ones (ascending).
  FeatureMatrix(std::vector<std::uint32_t> dense_columns, Matrix<double> dense,
                SparseMatrix sparse);

  std::size_t rows() const { return sparse_.rows(); }
  std::size_t cols() const { return sparse_.cols(); }
  Row row(std::size_t i) const { return {dense_columns_, dense_.row(i), sparse_.row(i)}; }
  /// Entries that the matrix would have with every column sparse. O(dense values).
  std::size_t num_entries() const;
  /// Values that take memory: all of a dense column, the entries of a sparse one.
  std::size_t num_stored() const { return dense_.values().size() + sparse_.num_entries(); }

  std::span<const std::uint32_t> dense_columns() const { return dense_columns_; }
  const Matrix<double>& dense() const { return dense_; }
  /// Has all columns of the matrix, and no entry in the dense ones.
  const SparseMatrix& sparse() const { return sparse_; }

  /// The blocks of a matrix that is not used again.
  std::pair<Matrix<double>, SparseMatrix> take_blocks() && {
    return {std::move(dense_), std::move(sparse_)};
  }

  /// The dense block of the rows named by `rows`, transposed: dense columns × rows.
  Matrix<double> gather_dense_columns(std::span<const std::uint32_t> rows) const;
  /// The rows named by `rows`, in that order. O(values taken).
  FeatureMatrix select_rows(std::span<const std::uint32_t> rows) const;
  /// With the columns of `right`, which has as many rows, behind its own. They stay sparse.
  FeatureMatrix append_columns(const SparseMatrix& right) const;
  /// Column j multiplied by factor[j].
  FeatureMatrix scale_columns(std::span<const double> factor) const;
  /// The same matrix with every column sparse; zeros of dense columns are not stored.
  SparseMatrix to_sparse() const;
  /// Adds the matrix as it would be added with every column sparse: offsets, columns, values.
  void add_to(Checksum& checksum) const;

 private:
  std::vector<std::uint32_t> dense_columns_;
  Matrix<double> dense_;  // rows × dense columns
  SparseMatrix sparse_;
};

/// The dot product of one row with a vector of the matrix's width.
inline double dot(const FeatureMatrix::Row& row, std::span<const double> vector) {
  double sum = 0;
  for (std::size_t d = 0; d < row.dense.size(); ++d) {
    sum += row.dense[d] * vector[row.dense_columns[d]];
  }
  for (std::size_t k = 0; k < row.sparse.size(); ++k) {
    sum += row.sparse.values[k] * vector[row.sparse.columns[k]];
  }
  return sum;
}

/// out += scale · row
inline void add_scaled(double scale, const FeatureMatrix::Row& row, std::span<double> out) {
  for (std::size_t d = 0; d < row.dense.size(); ++d) {
    out[row.dense_columns[d]] += scale * row.dense[d];
  }
  for (std::size_t k = 0; k < row.sparse.size(); ++k) {
    out[row.sparse.columns[k]] += scale * row.sparse.values[k];
  }
}

/// Moves those of the first `num_candidates` columns into the dense block in which at least one
/// value in four is not zero: a function of the content alone, so that the same table gives the
/// same digits in whatever format it came. An indicator of a rare level stays sparse: of 200 levels
/// dense columns would take 1600 bytes per row, where sparse ones take 12.
FeatureMatrix store_full_columns_densely(SparseMatrix x, std::size_t num_candidates);
/// The same for rows of a larger table, whose columns have `num_entries` such values in `num_rows`
/// rows.
FeatureMatrix store_full_columns_densely(SparseMatrix x, std::size_t num_candidates,
                                         std::span<const double> num_entries, double num_rows);
/// The number of entries of every column that are not zero.
std::vector<double> count_column_entries(const SparseMatrix& x);

}  // namespace cone

#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

#include "base/aligned_allocator.hpp"

namespace cone {

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

  /// A matrix whose values are not set. Takes no time: memory comes with the first write.
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

}  // namespace cone

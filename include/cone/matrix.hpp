#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// Dense matrices: owning, and views.

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

}  // namespace cone

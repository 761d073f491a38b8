#pragma once

#include <cstddef>

#include "cone/matrix.hpp"

namespace cone::nn {

/// Sets the shape of a workspace buffer. Allocates in the first epoch only, as the shape does not
/// change later.
template <class Real>
void reshape(Matrix<Real>& buffer, std::size_t rows, std::size_t cols) {
  if (buffer.rows() != rows || buffer.cols() != cols) buffer = Matrix<Real>(rows, cols);
}

/// A read-only view, for template argument deduction.
template <class Real>
MatrixView<const Real> constant(const Matrix<Real>& x) {
  return x.view();
}

/// The columns [begin, begin + count) of a view.
template <class T>
MatrixView<T> columns(MatrixView<T> x, std::size_t begin, std::size_t count) {
  return {x.data() + begin, x.rows(), count, x.stride()};
}

/// The rows [begin, begin + count) of a view.
template <class T>
MatrixView<T> rows(MatrixView<T> x, std::size_t begin, std::size_t count) {
  return {x.data() + begin * x.stride(), count, x.cols(), x.stride()};
}

}  // namespace cone::nn

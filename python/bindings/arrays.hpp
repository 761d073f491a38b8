#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "cone/matrix.hpp"

/// Conversions between NumPy arrays and the library. C-ordered float64 arrays are not copied.
namespace cone::python {

namespace py = pybind11;

template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;
using Doubles = Array<double>;

template <class T>
std::span<const T> span_of(const Array<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// One row per node; an array of one dimension is a single column.
inline MatrixView<const double> view_of(const Doubles& array) {
  if (array.size() == 0) return {};
  const auto rows = static_cast<std::size_t>(array.shape(0));
  return {array.data(), rows, static_cast<std::size_t>(array.size()) / rows};
}

/// An array that owns `values`; nothing is copied.
template <class Values>
py::array to_numpy(Values values, std::vector<py::ssize_t> shape) {
  using T = std::remove_cvref_t<decltype(*values.data())>;
  auto kept = std::make_unique<Values>(std::move(values));
  const T* data = kept->data();
  const py::capsule owner(kept.release(), [](void* p) { delete static_cast<Values*>(p); });
  return py::array_t<T>(std::move(shape), data, owner);
}

template <class T>
py::array to_numpy(std::vector<T> values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return to_numpy(std::move(values), {size});
}

template <class T>
py::array to_numpy(Matrix<T> matrix) {
  const auto rows = static_cast<py::ssize_t>(matrix.rows());
  const auto cols = static_cast<py::ssize_t>(matrix.cols());
  return to_numpy(std::move(matrix), {rows, cols});
}

}  // namespace cone::python

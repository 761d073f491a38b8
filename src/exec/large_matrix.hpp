#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

// The first write to new memory may take a second for each gigabyte or two: the system clears the
// pages. Matrices that may have gigabytes are filled by these, which ask the observer on the way.

Matrix<double> make_zero_matrix(const Context& context, std::size_t rows, std::size_t cols);

Matrix<double> copy_matrix(const Context& context, const Matrix<double>& matrix);

}  // namespace cone

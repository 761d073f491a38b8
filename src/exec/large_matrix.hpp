#pragma once

#include <cstddef>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

// The first write to new memory may take a second per one or two gigabytes, as the system clears
// the pages. These functions fill large matrices in pieces and poll the observer in between.

Matrix<double> make_zero_matrix(const Context& context, std::size_t rows, std::size_t cols);

Matrix<double> copy_matrix(const Context& context, const Matrix<double>& matrix);

}  // namespace cone

#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Some columns of a matrix, centred.
struct CentredColumns {
  Matrix<double> values;                ///< columns × rows: every column is contiguous
  std::vector<std::uint32_t> kept;      ///< their indices in the matrix
  std::vector<double> means;            ///< subtracted from the columns
  std::vector<double> sums_of_squares;  ///< of the centred columns
};

/// Centres `columns` (columns × rows) in place and drops constant ones. A mean has an error of a
/// few units in the last place of the larger of itself and the column's spread: sums go over short
/// blocks, and the mean of the centred column is subtracted again.
CentredColumns centre_columns(const Context& context, Matrix<double> columns);

}  // namespace cone

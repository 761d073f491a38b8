#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Some columns of a matrix with their means taken off.
struct CentredColumns {
  Matrix<double> values;                ///< columns × rows: every column in one piece
  std::vector<std::uint32_t> kept;      ///< which columns these are
  std::vector<double> means;            ///< what was taken off
  std::vector<double> sums_of_squares;  ///< of what is left
};

/// Takes the means off `columns` (columns × rows), in place, and leaves constant columns out. A
/// mean has an error of a few units in the last place of the larger of itself and the column's
/// spread: sums go over short blocks, and what is left of the mean after it was taken off is taken
/// off too.
CentredColumns centre_columns(const Context& context, Matrix<double> columns);

}  // namespace cone

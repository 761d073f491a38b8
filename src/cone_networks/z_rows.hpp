#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "cone/matrix.hpp"

namespace cone {

/// Mean and standard deviation of the columns of z = [z^y ; z^t] on the training nodes; a constant
/// column has the scale 1.
struct ColumnUnits {
  std::vector<float> mean;
  std::vector<float> scale;
};

/// The rows at `indices`, in that order.
template <class Indices>
Matrix<float> rows_of(const Matrix<float>& z, const Indices& indices) {
  Matrix<float> rows(indices.size(), z.cols());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    std::copy(z.row(indices[k]).begin(), z.row(indices[k]).end(), rows.row(k).begin());
  }
  return rows;
}

/// Mean and standard deviation of every column. A column that is constant up to rounding keeps its
/// scale: divided by its rounding error, noise would look like a feature.
ColumnUnits column_units(MatrixView<const float> rows);

/// Subtracts the mean and divides by the scale of every column.
void standardise(const ColumnUnits& units, Matrix<float>& rows);

/// The same numbers as dense columns of features, for regressions.
FeatureMatrix as_features(const Matrix<float>& rows);

}  // namespace cone

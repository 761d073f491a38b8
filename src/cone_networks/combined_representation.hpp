#pragma once

#include <span>
#include <vector>

#include "base/feature_matrix.hpp"
#include "base/matrix.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/representation.hpp"

namespace cone {

/// [z^y ; z^t] of some nodes, in their order.
Matrix<float> combined_rows(const EncodedNodes& encoded, std::span<const NodeIndex> nodes);

/// Mean and standard deviation of every column. A column that is constant up to the rounding of its
/// own magnitude keeps its scale: divided by what rounding left, noise would pass for a feature.
ColumnUnits column_units(MatrixView<const float> rows);

/// Subtracts the mean and divides by the scale of every column.
void standardise(const ColumnUnits& units, Matrix<float>& rows);

/// The same numbers as dense columns of features, for regressions.
FeatureMatrix as_features(const Matrix<float>& rows);

}  // namespace cone

#pragma once

#include "cone/base/sparse_matrix.hpp"
#include "cone/nuisance/nuisance_options.hpp"

namespace cone {

/// The features as ridge and logistic regression see them. Scales come from the features of all
/// nodes: no treatment or outcome enters.
struct ScaledFeatures {
  SparseMatrix matrix;
  /// Σ over the columns of their variance: slopes of variance s² give predictions whose variance
  /// is s² times this. 1 where every column is constant.
  double total_variance = 1;
};

ScaledFeatures scale_features(const SparseMatrix& x, FeatureScaling scaling);

}  // namespace cone

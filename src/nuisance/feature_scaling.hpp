#pragma once

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

// The features as the input of regressions. Scales come from the features of all nodes: no
// treatment or outcome enters. Columns are scaled, not shifted: every regression has an intercept
// and centres its columns itself. Columns that are constant up to rounding become zero.

namespace cone {

struct ScaledFeatures {
  FeatureMatrix matrix;
  /// Σ over the columns of their variance: slopes of variance s² give predictions whose variance
  /// is s² times this. 1 where every column is constant.
  double total_variance = 1;
};

/// For ridge and logistic regression, whose penalty depends on the units: every column, numeric or
/// count, gets unit variance, unless the options turn scaling off.
ScaledFeatures scale_for_penalty(const FeatureTable& features, FeatureScaling scaling,
                                 const Communicator& comm = Communicator::self());

/// For least squares, which depends on the units only where columns are collinear and the
/// minimum-norm solution is taken: numeric features get unit variance, all counts one common
/// factor.
FeatureMatrix scale_for_least_squares(const FeatureTable& features,
                                      const Communicator& comm = Communicator::self());

}  // namespace cone

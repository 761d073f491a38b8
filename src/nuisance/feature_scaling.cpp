#include "nuisance/feature_scaling.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "nuisance/centred_matrix.hpp"

namespace cone {

ScaledFeatures scale_features(const SparseMatrix& x, FeatureScaling scaling) {
  const CentredMatrix centred(x);
  std::vector<double> factor(x.cols(), 1.0);
  double total_variance = 0;
  for (std::size_t j = 0; j < centred.cols(); ++j) {
    const double variance = centred.sums_of_squares()[j] / static_cast<double>(x.rows());
    if (!(variance > std::numeric_limits<double>::min()))
      continue;  // underflow: as good as constant
    if (scaling == FeatureScaling::kUnitVariance) {
      factor[centred.kept()[j]] = 1.0 / std::sqrt(variance);
      total_variance += 1;
    } else {
      total_variance += variance;
    }
  }
  std::vector<double> values(x.values().begin(), x.values().end());
  for (std::size_t k = 0; k < values.size(); ++k) values[k] *= factor[x.columns()[k]];
  return {.matrix = SparseMatrix(x.cols(), {x.offsets().begin(), x.offsets().end()},
                                 {x.columns().begin(), x.columns().end()}, std::move(values)),
          .total_variance = total_variance > 0 ? total_variance : 1.0};
}

}  // namespace cone

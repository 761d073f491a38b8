#include "nuisance/feature_scaling.hpp"

#include <cmath>
#include <vector>

#include "cone/options.hpp"

#include "data/column_units.hpp"

namespace cone {

ScaledFeatures scale_for_penalty(const FeatureTable& features, FeatureScaling scaling,
                                 const Communicator& comm) {
  const std::vector<ColumnUnit> units = measure_columns(features, comm);
  std::vector<double> factor(units.size(), 0.0);
  double total_variance = 0;
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (units[j].scale == 0) continue;
    const bool unit_variance = scaling == FeatureScaling::kUnitVariance;
    factor[j] = unit_variance ? 1 / units[j].scale : 1.0;
    total_variance += unit_variance ? 1.0 : units[j].scale * units[j].scale;
  }
  return {.matrix = features.matrix.scale_columns(factor),
          .total_variance = total_variance > 0 ? total_variance : 1.0};
}

FeatureMatrix scale_for_least_squares(const FeatureTable& features, const Communicator& comm) {
  const std::vector<ColumnUnit> units = measure_columns(features, comm);
  // Root mean variance of the counts: one factor for all, since they share one unit.
  double count_variance = 0;
  for (std::size_t j = features.num_dense; j < units.size(); ++j) {
    count_variance +=
        units[j].scale * (units[j].scale / static_cast<double>(features.num_counts()));
  }
  std::vector<double> factor(units.size(), 0.0);
  for (std::size_t j = 0; j < units.size(); ++j) {
    if (units[j].scale == 0) continue;
    factor[j] = 1 / (j < features.num_dense ? units[j].scale : std::sqrt(count_variance));
  }
  return features.matrix.scale_columns(factor);
}

}  // namespace cone

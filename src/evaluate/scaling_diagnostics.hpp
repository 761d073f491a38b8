#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/record.hpp"
#include "cone/settings.hpp"
#include "cone/totals.hpp"

namespace cone {

/// Names what the learners of these estimators do to the features (encoder_input and
/// nuisance/feature_scaling.hpp do it).
std::vector<ScalingDiagnostics> describe_scaling(const FeatureTable& features,
                                                 std::span<const EstimatorInfo> rows,
                                                 const NuisanceOptions& options);

/// A sentence where columns were left out because their values differ by rounding only,
/// over the rows of all processes.
std::vector<std::string> warn_of_rounding_columns(const FeatureTable& features,
                                                  const Totals& totals = Totals::alone());

}  // namespace cone

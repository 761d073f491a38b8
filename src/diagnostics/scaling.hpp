#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/estimate.hpp"
#include "cone/options.hpp"
#include "cone/record.hpp"

namespace cone {

/// How the learners of these estimators scale the features (see encoder_input and
/// nuisance/feature_scaling.hpp).
std::vector<ScalingDiagnostics> describe_scaling(const FeatureTable& features,
                                                 std::span<const EstimatorInfo> rows,
                                                 const NuisanceOptions& options);

/// A warning where columns were left out because their values differ by rounding only, over the
/// rows of all ranks.
std::vector<std::string> warn_of_rounding_columns(const FeatureTable& features,
                                                  const Communicator& comm = Communicator::self());

}  // namespace cone

#pragma once

#include "cone/results/evaluation_record.hpp"

#include "experiment/nuisance_set.hpp"

namespace cone {

DataSummary summarise(const Dataset& data);

/// What the fitted nuisances are worth on nodes they were not fitted on, and what the loader
/// merged.
Diagnostics diagnose(const LoadedData& data, const NuisanceSet& nuisances);

}  // namespace cone

#pragma once

#include "evaluate/nuisance_set.hpp"
#include "results/evaluation_record.hpp"

namespace cone {

DataSummary summarise(const Dataset& data);

/// What the fitted nuisances are worth on nodes they were not fitted on, and what the loader
/// merged.
Diagnostics diagnose(const LoadedData& data, const NuisanceSet& nuisances);

}  // namespace cone

#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learning.hpp"

namespace cone {

DataSummary summarise(const Dataset& data);

/// What the learnt nuisances are worth on nodes they were not fitted on. `warnings`: further ones,
/// about no learner alone.
Diagnostics diagnose_models(const LoggedSample& sample, const LearntNuisances& learnt,
                            const std::vector<std::string>& warnings);

/// The same, and what the loader merged.
Diagnostics diagnose(const LoadedData& data, const LoggedSample& sample,
                     const LearntNuisances& learnt, const std::vector<std::string>& warnings);

}  // namespace cone

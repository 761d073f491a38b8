#pragma once

#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "evaluate/learning.hpp"

namespace cone {

DataSummary summarise(const Dataset& data);

/// Out-of-fold quality of the learnt nuisances. `warnings`: further ones that concern no single
/// learner.
Diagnostics diagnose_models(const LoggedSample& sample, const LearntNuisances& learnt,
                            const std::vector<std::string>& warnings);

/// The same, with counts of isolated nodes and of edges that the loader merged or dropped.
Diagnostics diagnose(const LoadedData& data, const LoggedSample& sample,
                     const LearntNuisances& learnt, const std::vector<std::string>& warnings);

}  // namespace cone

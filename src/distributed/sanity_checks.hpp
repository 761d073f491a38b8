#pragma once

#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone::distributed {

/// Refuses features that equal the outcome or the treatment, as in one process. Collective.
void refuse_leaks(const Context& shared, const Dataset& data, const std::string& table);

/// Drops true potential outcomes that contradict the observed outcomes, with a warning. Collective.
void drop_inconsistent_truth(LoadedData& data);

}  // namespace cone::distributed

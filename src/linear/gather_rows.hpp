#pragma once

#include "cone/features.hpp"
#include "cone/totals.hpp"

namespace cone {

/// The rows of all ranks, in the order of Totals::allgather. The same columns are dense in each.
FeatureMatrix gather_rows(const Totals& totals, const FeatureMatrix& own);

}  // namespace cone

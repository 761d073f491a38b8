#pragma once

#include "cone/communicator.hpp"
#include "cone/features.hpp"

namespace cone {

/// The rows of all ranks, in the order of Communicator::allgatherv. The same columns are dense
/// in each.
FeatureMatrix gather_rows(const Communicator& comm, const FeatureMatrix& own);

}  // namespace cone

#pragma once

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The rows of all ranks, in the order of Communicator::allgatherv. The same columns are dense
/// in each.
FeatureMatrix gather_rows(const Communicator& comm, const FeatureMatrix& own);

}  // namespace cone

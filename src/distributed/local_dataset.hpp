#pragma once

#include "cone/dataset.hpp"
#include "cone/learn.hpp"

#include "distributed/local_data.hpp"

namespace cone::distributed {

/// The nodes of this rank as a Dataset without a network; node indices are positions. To be made
/// before features are scaled for the network ridge.
Dataset make_local_dataset(const Communicator& comm, const LocalData& local);

/// The same nodes as the sample of estimators, with sums over all ranks.
LoggedSample make_local_sample(const Communicator& comm, const LocalData& local);

}  // namespace cone::distributed

#pragma once

#include "cone/context.hpp"

#include "distributed/local_data.hpp"
#include "network_ridge/curve_features.hpp"

namespace cone::distributed {

// Features that the network ridge derives from numeric features, the same as in one process
// (network_ridge/smooth_features.hpp, network_ridge/curve_features.hpp). Collective.

Matrix<double> distributed_smooth_features(const Context& context, const Communicator& comm,
                                           const LocalData& local);
Matrix<double> distributed_curve_features(const Context& context, const Communicator& comm,
                                          const LocalData& local);

/// The mid-ranks of a numeric feature's values over the nodes of all MPI ranks.
RankedColumn find_mid_ranks(const Communicator& comm, const LocalData& local, std::size_t column);

}  // namespace cone::distributed

#pragma once

#include "cone/record.hpp"

#include "distributed/local_data.hpp"

namespace cone::distributed {

/// The parts of a record about the data; the same on all ranks.
DataSummary summarise(const GlobalData& global);
/// A policy's result without estimates.
PolicyResult describe_policy(const Communicator& comm, const LocalData& local,
                             std::size_t position);
/// Numbers of self-loops, merged edges and isolated nodes.
void describe_network(const Communicator& comm, const LocalData& local, Diagnostics& out);

}  // namespace cone::distributed

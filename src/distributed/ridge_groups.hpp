#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed/local_data.hpp"
#include "network_ridge/groups.hpp"

namespace cone::distributed {

/// The ridge groups that are switched on and that the data has, with scales over all ranks
/// (list_groups in one process); sets local.neighbour_norms. Collective.
std::vector<RidgeGroup> list_ridge_groups(const Context& context, const Communicator& comm,
                                          LocalData& local, std::span<const std::string> switches);

}  // namespace cone::distributed

#pragma once

#include <span>
#include <string>
#include <vector>

#include "distributed/share.hpp"
#include "network_ridge/groups.hpp"

namespace cone::distributed {

/// The groups that the switches ask for and the data have, with the scales of the whole
/// (list_groups of one machine); sets the lengths of the share. Called by all ranks.
std::vector<RidgeGroup> list_groups_together(const Context& context, const Ranks& ranks,
                                             Share& share, std::span<const std::string> switches);

}  // namespace cone::distributed

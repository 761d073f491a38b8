#pragma once

#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

#include "distributed/share.hpp"

namespace cone::distributed {

/// Refuses, as one machine does, features that are the outcome or the treatment. `data` has this
/// rank's nodes; the context is shared by all.
void refuse_leaks(const Context& shared, const Ranks& ranks, const Dataset& data,
                  const std::string& table);

/// Forgets true outcomes that contradict the log, and says so.
void drop_false_truth(const Ranks& ranks, Share& share, std::vector<std::string>& warnings);

}  // namespace cone::distributed

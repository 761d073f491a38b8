#pragma once

#include "data/dataset.hpp"
#include "data/load_parts.hpp"

namespace cone::load {

/// What is formally right and yet likely a mistake: a feature that is the outcome or the treatment
/// (a fault: no adjustment can work), one that nearly is, one that is constant or numbers the
/// lines, true outcomes that contradict the log (notes). Too few nodes prove nothing: below ten,
/// only constants are looked for. A sample decides whether all nodes are
/// looked at.
void check_sanity(const Source& source, LoadedData& data);

}  // namespace cone::load

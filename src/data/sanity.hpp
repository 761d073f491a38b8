#pragma once

#include <optional>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"

#include "data/column_moments.hpp"

namespace cone::load {

/// Looks for data that is valid but likely a mistake: a feature that is the outcome or the
/// treatment (a fault: no adjustment can work), one that nearly is, one that is constant or a line
/// number, and true outcomes that contradict the observed ones (warnings and notes). With fewer
/// than ten nodes, which are no evidence, only constants are looked for. A sample decides whether
/// all nodes are checked.
///
/// `table` is the name of the node table in messages, empty for arrays.
void check_sanity(const Context& context, const std::string& table, LoadedData& data,
                  FaultList& faults);

/// The fault of a column that is certainly the treatment or the outcome.
std::optional<Fault> find_leak(const std::string& table, const std::string& name,
                               const ColumnMoments& m, std::size_t column);

}  // namespace cone::load

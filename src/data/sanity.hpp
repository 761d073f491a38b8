#pragma once

#include <optional>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"

#include "data/column_moments.hpp"

namespace cone::load {

/// What is formally right and yet likely a mistake: a feature that is the outcome or the treatment
/// (a fault: no adjustment can work), one that nearly is, one that is constant or numbers the
/// lines, true outcomes that contradict the log (notes). Too few nodes prove nothing: below ten,
/// only constants are looked for. A sample decides whether all nodes are looked at.
///
/// `table` is the name of the table of nodes in messages, empty for arrays.
void check_sanity(const Context& context, const std::string& table, LoadedData& data,
                  FaultList& faults);

/// Says that a column is the treatment or the outcome, where that is certain.
std::optional<Fault> find_leak(const std::string& table, const std::string& name,
                               const ColumnMoments& m, std::size_t column);

}  // namespace cone::load

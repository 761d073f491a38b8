#pragma once

#include "data/cell_tally.hpp"
#include "data/column_roles.hpp"

namespace cone::load {

/// One message per column and kind of cells that cannot be used, except for text in features.
void report_odd_cells(const FaultTable& table, const ColumnRoles& roles, const CellTallies& odd,
                      MissingPolicy missing, FaultList& faults);

}  // namespace cone::load

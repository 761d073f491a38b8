#pragma once

#include "data/cell_tally.hpp"
#include "data/column_roles.hpp"

namespace cone::load {

/// One sentence per column and kind about cells that cannot be used, text in features excepted.
void report_odd_cells(const FaultTable& table, const ColumnRoles& roles, const CellTallies& odd,
                      MissingPolicy missing, FaultList& faults);

}  // namespace cone::load

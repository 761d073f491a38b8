#pragma once

#include <ostream>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/record.hpp"

#include "data/csv_writer.hpp"

namespace cone {

/// One line per evaluated node, in the order of the data. Columns (docs/records.md): id,
/// arm, outcome, mu and propensity of every arm (mu0, mu1, or mu:LABEL), then weight:POLICY and
/// influence:POLICY of every policy. Missing values are empty cells.
void write_nodes(const Context& context, std::ostream& out, const Dataset& data,
                 const NodeTable& table, CsvCells cells = CsvCells::kExact);

}  // namespace cone

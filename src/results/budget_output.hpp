#pragma once

#include <ostream>
#include <span>
#include <string>

#include "cone/record.hpp"

#include "data/csv_writer.hpp"

namespace cone {

/// For a terminal: at most eleven points, and a sentence on the value of the ranking.
std::string budget_curve_text(const BudgetCurve& curve);

/// Whether the ranking is better than treating units at random (the Qini area).
std::string ranking_sentence(const BudgetCurve& curve);

/// One line per ranking and budget (columns: docs/records.md). Missing values are empty cells.
void write_budget_curves(std::ostream& out, std::span<const BudgetCurve> curves,
                         CsvCells cells = CsvCells::kExact);

}  // namespace cone

#pragma once

#include <ostream>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "cone/record.hpp"

#include "data/csv_writer.hpp"

namespace cone {

nlohmann::ordered_json budget_curves_json(std::span<const BudgetCurve> curves);

/// For a terminal: eleven points at most, and what the ranking is worth in words.
std::string budget_curve_text(const BudgetCurve& curve);

/// One line per ranking and budget (docs/budget.md has the columns). A cell of what
/// does not exist is empty.
void write_budget_curves(std::ostream& out, std::span<const BudgetCurve> curves,
                         CsvCells cells = CsvCells::kExact);

}  // namespace cone

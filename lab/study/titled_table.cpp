#include "study/titled_table.hpp"

#include <cmath>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "results/text_table.hpp"

namespace cone {

std::string tables_text(std::span<const TitledTable> tables) {
  std::string text;
  for (const TitledTable& table : tables) {
    text += fmt::format("{}{}\n\n", text.empty() ? "" : "\n", table.title);
    std::vector<TextTable::Column> columns;
    for (const std::string& title : table.columns) columns.push_back({title});
    columns[0].align = TextTable::Align::kLeft;
    TextTable lines(columns);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      cells.reserve(row.size());
      for (const TitledTable::Cell& cell : row) {
        cells.push_back(cell.text + (cell.is_marked ? " *" : ""));
      }
      lines.add_row(std::move(cells));
    }
    text += lines.to_string();
  }
  return text;
}

std::string tables_markdown(std::span<const TitledTable> tables) {
  std::string text;
  for (const TitledTable& table : tables) {
    text += fmt::format("{}### {}\n\n| {} |\n|---|", text.empty() ? "" : "\n", table.title,
                        fmt::join(table.columns, " | "));
    for (std::size_t j = 1; j < table.columns.size(); ++j) text += "---:|";
    text += '\n';
    for (const auto& row : table.rows) {
      text += '|';
      for (const TitledTable::Cell& cell : row) {
        const char* mark = cell.is_marked ? "**" : "";
        text += fmt::format(" {}{}{} |", mark, cell.text, mark);
      }
      text += '\n';
    }
  }
  return text;
}

std::string value_with_error(double value, double error) {
  if (!std::isfinite(value)) return "-";
  const int digits = std::abs(value) < 0.1 ? 4 : std::abs(value) < 10 ? 3 : 2;
  if (!std::isfinite(error)) return fmt::format("{:.{}f}", value, digits);
  return sentence("{:.{}f} ± {:.{}f}", value, digits, error, digits);
}

std::string share_text(double share) {
  return std::isfinite(share) ? fmt::format("{:.1f} %", 100 * share) : "-";
}

}  // namespace cone

#include "results/text_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "base/readable_number.hpp"

namespace cone {
namespace {

/// Characters, not bytes: continuation bytes of UTF-8 have no width.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

void TextTable::add_row(std::vector<std::string> cells) {
  require(cells.size() == columns_.size(), "text table: wrong number of cells");
  rows_.push_back(std::move(cells));
}

std::string TextTable::to_string() const {
  std::vector<std::size_t> widths;
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    std::size_t width = display_width(columns_[j].title);
    for (const auto& row : rows_) width = std::max(width, display_width(row[j]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const std::string& cell = cell_of(j);
      const std::string padding(widths[j] - display_width(cell), ' ');
      if (j > 0) text += "  ";
      text += columns_[j].align == Align::kLeft ? cell + padding : padding + cell;
    }
    return without_trailing_spaces(std::move(text)) + '\n';
  };
  std::string text = line([&](std::size_t j) -> const std::string& { return columns_[j].title; });
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + 2;
  text += std::string(total - 2, '-') + '\n';
  for (const auto& row : rows_) {
    text += line([&](std::size_t j) -> const std::string& { return row[j]; });
  }
  return text;
}

std::string arm_cost_text(const ArmCost& arm) {
  if (arm.column.empty()) return fmt::format("{}", arm.cost);
  return fmt::format("mean {}, by column {}", readable_number(arm.cost), printable(arm.column));
}

}  // namespace cone

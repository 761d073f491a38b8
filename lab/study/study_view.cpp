#include "study/study_view.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

using Form = StudyColumn::Form;

constexpr char kStar = '*';
constexpr std::string_view kMissing = "-";

int decimals_of(double value, const StudyColumn& column) {
  if (column.form != Form::kAdaptive) return column.digits;
  return std::abs(value) < 0.1 ? 4 : std::abs(value) < 10 ? 3 : 2;
}

/// "0.0116 ± 0.0005", "88.1 %", "-".
std::string number_text(double value, double error, const StudyColumn& column) {
  if (!std::isfinite(value)) return std::string(kMissing);
  const int digits = decimals_of(value, column);
  std::string text;
  switch (column.form) {
    case Form::kShort:
      text = fmt::format("{}", value);
      break;
    case Form::kPercent:
      text = fmt::format("{:.{}f} %", 100 * value, digits);
      break;
    case Form::kSigned:
      text = fmt::format("{:+.{}f}", value, digits);
      break;
    case Form::kP:
      text = value < 0.001 ? "< 0.001" : fmt::format("{:.3f}", value);
      break;
    default:
      text = fmt::format("{:.{}f}", value, digits);
  }
  return std::isfinite(error) ? fmt::format("{} ± {:.{}f}", text, error, digits) : text;
}

std::string value_text(const StudyTable& table, const StudyTable::Row& row,
                       const StudyColumn& column) {
  const StudyValue& value = table.value(row, column.name);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return "";
  double error = kNaN;
  if (!column.error.empty()) {
    if (const auto* e = std::get_if<double>(&table.value(row, column.error))) error = *e;
  }
  return number_text(*number, error, column);
}

/// One shown column of the rows of a line.
ShownTable::Cell cell_of(const StudyTable& table, const TableRows& rows,
                         const StudyView::Shown& shown) {
  constexpr std::string_view kUnit = " %";
  ShownTable::Cell cell;
  for (const StudyTable::Row* row : rows) {
    std::string text = value_text(table, *row, table.column(shown.column));
    if (shown.is_marked && row->mark == kStar) cell.is_marked = true;
    if (shown.is_marked && row->mark != 0 && row->mark != kStar) text += row->mark;
    if (!shown.beside.empty() && text != kMissing) {
      const std::string other = value_text(table, *row, table.column(shown.beside));
      if (!other.empty()) text += shown.before + other + shown.after;
    }
    if (text.empty() && rows.size() > 1) text = kMissing;
    if (!cell.text.empty()) {
      if (cell.text.ends_with(kUnit)) cell.text.resize(cell.text.size() - kUnit.size());
      cell.text += " / ";
    }
    cell.text += text;
  }
  return cell;
}

std::string title_of(const StudyColumn& column) {
  return column.title.empty() ? column.name : column.title;
}

}  // namespace

ShownTable show(const StudyTable& table, const StudyView& view) {
  TableRows rows = all_rows(table);
  for (const auto& [column, text] : view.only) {
    std::erase_if(rows,
                  [&](const auto* row) { return table.value(*row, column) != StudyValue(text); });
  }
  ShownTable out{.title = view.title, .note = view.note};
  for (const std::string& key : view.keys) out.columns.push_back(title_of(table.column(key)));
  // Rows that share columns: all of them where no column goes across.
  const std::vector<TableRows> parts =
      view.across.empty() ? std::vector<TableRows>{rows} : group_rows(table, rows, {view.across});
  for (const TableRows& part : parts) {
    for (const StudyView::Shown& shown : view.shown) {
      std::string title = title_of(table.column(shown.column));
      if (!view.across.empty()) {
        const StudyColumn& across = table.column(view.across);
        const std::string value = value_text(table, *part.front(), across);
        title = view.shown.size() == 1 ? value
                                       : fmt::format("{}, {} = {}", title, title_of(across), value);
      }
      out.columns.push_back(std::move(title));
    }
  }
  for (const TableRows& group : group_rows(table, rows, view.keys)) {
    auto& line = out.rows.emplace_back();
    for (const std::string& key : view.keys) {
      line.push_back({value_text(table, *group.front(), table.column(key))});
    }
    for (const TableRows& part : parts) {
      TableRows here = group;
      std::erase_if(here,
                    [&](const auto* row) { return std::ranges::find(part, row) == part.end(); });
      for (const StudyView::Shown& shown : view.shown) line.push_back(cell_of(table, here, shown));
    }
  }
  return out;
}

std::string tables_text(std::span<const ShownTable> tables) {
  std::string text;
  for (const ShownTable& table : tables) {
    if (!text.empty()) text += '\n';
    if (!table.title.empty()) text += table.title + "\n\n";
    if (!table.note.empty()) text += table.note + "\n\n";
    std::vector<TextTable::Column> columns;
    for (const std::string& title : table.columns) columns.push_back({title});
    columns[0].align = TextTable::Align::kLeft;
    TextTable lines(columns);
    for (const auto& row : table.rows) {
      std::vector<std::string> cells;
      for (const ShownTable::Cell& cell : row) {
        cells.push_back(cell.text + (cell.is_marked ? " *" : ""));
      }
      lines.add_row(std::move(cells));
    }
    text += lines.to_string();
  }
  return text;
}

std::string tables_markdown(std::span<const ShownTable> tables) {
  std::string text;
  for (const ShownTable& table : tables) {
    if (!text.empty()) text += '\n';
    if (!table.title.empty()) text += fmt::format("### {}\n\n", table.title);
    if (!table.note.empty()) text += table.note + "\n\n";
    text += fmt::format("| {} |\n|---|", fmt::join(table.columns, " | "));
    for (std::size_t j = 1; j < table.columns.size(); ++j) text += "---:|";
    text += '\n';
    for (const auto& row : table.rows) {
      text += '|';
      for (const ShownTable::Cell& cell : row) {
        const char* mark = cell.is_marked ? "**" : "";
        text += fmt::format(" {}{}{} |", mark, cell.text, mark);
      }
      text += '\n';
    }
  }
  return text;
}

}  // namespace cone

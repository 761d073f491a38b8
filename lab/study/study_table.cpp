#include "study/study_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "options/json_number.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;
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

std::string csv_field(const StudyValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (text->find_first_of(",\"\n") == std::string::npos) return *text;
    std::string quoted = "\"";
    for (const char c : *text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
  }
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && std::isfinite(*number) ? fmt::format("{}", *number) : "";
}

Json to_json(const StudyValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return *count;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<double>(&value)) return json_number(*number);
  Json list = Json::array();
  for (const double number : std::get<std::vector<double>>(value)) {
    list.push_back(json_number(number));
  }
  return list;
}

using Rows = std::vector<const StudyTable::Row*>;

/// Rows with the same values in some columns, groups in the order of their first rows.
std::vector<Rows> group_rows(const StudyTable& table, const Rows& rows,
                             const std::vector<std::string>& keys) {
  std::vector<Rows> groups;
  for (const StudyTable::Row* row : rows) {
    auto group = std::ranges::find_if(groups, [&](const Rows& other) {
      return std::ranges::all_of(keys, [&](const std::string& key) {
        return table.value(*other.front(), key) == table.value(*row, key);
      });
    });
    if (group == groups.end()) group = groups.insert(group, Rows());
    group->push_back(row);
  }
  return groups;
}

Rows rows_of(const StudyTable& table) {
  Rows rows;
  for (const StudyTable::Row& row : table.rows()) rows.push_back(&row);
  return rows;
}

using Levels = std::span<const std::pair<std::string, std::string>>;

/// `used`: columns of the levels above.
Json nest(const StudyTable& table, const Rows& rows, Levels levels, std::vector<std::string> used) {
  Json list = Json::array();
  if (!levels.empty()) {
    const auto& [column, below] = levels.front();
    used.push_back(column);
    for (const Rows& group : group_rows(table, rows, {column})) {
      list.push_back({{"name", to_json(table.value(*group.front(), column))}});
      list.back()[below] = nest(table, group, levels.subspan(1), used);
    }
    return list;
  }
  for (const StudyTable::Row* row : rows) {
    Json object = Json::object();
    for (const StudyColumn& column : table.columns()) {
      const StudyValue& value = table.value(*row, column.name);
      if (std::holds_alternative<std::monostate>(value)) continue;
      if (std::ranges::find(used, column.name) != used.end()) continue;
      object[Json::json_pointer("/" + column.name)] = to_json(value);
    }
    list.push_back(std::move(object));
  }
  return list;
}

/// One shown column of the rows of a line.
ShownTable::Cell cell_of(const StudyTable& table, const Rows& rows, const StudyView::Shown& shown) {
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

void StudyTable::add(std::vector<StudyValue> values, char mark) {
  require(values.size() == columns_.size(), "study table: wrong number of values");
  rows_.push_back({std::move(values), mark});
}

std::size_t StudyTable::index_of(const std::string& column) const {
  const auto found = std::ranges::find(columns_, column, &StudyColumn::name);
  require(found != columns_.end(), "study table: a column that does not exist");
  return static_cast<std::size_t>(found - columns_.begin());
}

const StudyValue& StudyTable::value(const Row& row, const std::string& column) const {
  return row.values[index_of(column)];
}

std::string StudyTable::csv() const {
  const auto is_list = [&](std::size_t j) {
    return !rows_.empty() && std::holds_alternative<std::vector<double>>(rows_.front().values[j]);
  };
  std::string text;
  const auto add_line = [&](const auto& field_of) {
    std::string separator;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      if (is_list(j)) continue;
      text += separator + field_of(j);
      separator = ",";
    }
    text += '\n';
  };
  add_line([&](std::size_t j) {
    std::string name = columns_[j].name;
    std::ranges::replace(name, '/', '_');
    return name;
  });
  for (const Row& row : rows_) add_line([&](std::size_t j) { return csv_field(row.values[j]); });
  return text;
}

Json StudyTable::nested(const std::vector<std::pair<std::string, std::string>>& levels) const {
  return nest(*this, rows_of(*this), levels, {});
}

ShownTable show(const StudyTable& table, const StudyView& view) {
  Rows rows = rows_of(table);
  for (const auto& [column, text] : view.only) {
    std::erase_if(rows,
                  [&](const auto* row) { return table.value(*row, column) != StudyValue(text); });
  }
  ShownTable out{.title = view.title, .note = view.note};
  for (const std::string& key : view.keys) out.columns.push_back(title_of(table.column(key)));
  // Rows that share columns: all of them where no column goes across.
  const std::vector<Rows> parts =
      view.across.empty() ? std::vector<Rows>{rows} : group_rows(table, rows, {view.across});
  for (const Rows& part : parts) {
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
  for (const Rows& group : group_rows(table, rows, view.keys)) {
    auto& line = out.rows.emplace_back();
    for (const std::string& key : view.keys) {
      line.push_back({value_text(table, *group.front(), table.column(key))});
    }
    for (const Rows& part : parts) {
      Rows here = group;
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

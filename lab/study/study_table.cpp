#include "study/study_table.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "options/json_number.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

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

using Levels = std::span<const std::pair<std::string, std::string>>;

/// `used`: columns of the levels above.
Json nest(const StudyTable& table, const TableRows& rows, Levels levels,
          std::vector<std::string> used) {
  Json list = Json::array();
  if (!levels.empty()) {
    const auto& [column, below] = levels.front();
    used.push_back(column);
    for (const TableRows& group : group_rows(table, rows, {column})) {
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

}  // namespace

std::vector<TableRows> group_rows(const StudyTable& table, const TableRows& rows,
                                  const std::vector<std::string>& keys) {
  std::vector<TableRows> groups;
  for (const StudyTable::Row* row : rows) {
    auto group = std::ranges::find_if(groups, [&](const TableRows& other) {
      return std::ranges::all_of(keys, [&](const std::string& key) {
        return table.value(*other.front(), key) == table.value(*row, key);
      });
    });
    if (group == groups.end()) group = groups.insert(group, TableRows());
    group->push_back(row);
  }
  return groups;
}

TableRows all_rows(const StudyTable& table) {
  TableRows rows;
  for (const StudyTable::Row& row : table.rows()) rows.push_back(&row);
  return rows;
}

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
  return nest(*this, all_rows(*this), levels, {});
}

}  // namespace cone

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

// The results of a study, filled once: CSV, JSON and tables for readers (study_view.hpp) follow.

namespace cone {

/// Nothing where a question does not arise (the published result of a method that the paper does
/// not have): absent in JSON. NaN where a number could not be computed: null in JSON, "-" in
/// tables. Both are empty fields of CSV. Lists are in JSON only.
struct StudyValue
    : std::variant<std::monostate, bool, std::uint64_t, double, std::string, std::vector<double>> {
  using variant::variant;
  StudyValue(std::string_view text) : variant(std::string(text)) {}
};

struct StudyColumn {
  enum class Form {
    kShort,     ///< with as many digits as it has
    kFixed,     ///< with `digits` decimals
    kSigned,    ///< and a sign
    kAdaptive,  ///< about four significant digits
    kPercent,   ///< of a proportion
    kP,         ///< p value
  };

  std::string name;        ///< in CSV and JSON, where "paper/rmse" is a member of an object "paper"
  std::string title = {};  ///< above the column of a table; the name if empty
  Form form = Form::kShort;
  int digits = 0;
  std::string error = {};  ///< the column that is shown after ±
};

class StudyTable {
 public:
  using Json = nlohmann::ordered_json;
  /// A star: a value to stress (bold in Markdown). Another character follows the value.
  struct Row {
    std::vector<StudyValue> values;
    char mark = 0;
  };

  explicit StudyTable(std::vector<StudyColumn> columns) : columns_(std::move(columns)) {}
  void add(std::vector<StudyValue> values, char mark = 0);

  /// RFC 4180, numbers with all their digits.
  std::string csv() const;
  /// The rows grouped by columns, from the outside: each group is {"name": its value, LIST: [what
  /// is below]}, each row an object of the other columns. A level is a column and its LIST.
  Json nested(const std::vector<std::pair<std::string, std::string>>& levels) const;
  Json list() const { return nested({}); }

  const std::vector<StudyColumn>& columns() const { return columns_; }
  const std::vector<Row>& rows() const { return rows_; }
  const StudyValue& value(const Row& row, const std::string& column) const;
  std::size_t index_of(const std::string& column) const;
  const StudyColumn& column(const std::string& name) const { return columns_[index_of(name)]; }

 private:
  std::vector<StudyColumn> columns_;
  std::vector<Row> rows_;
};

/// Rows with the same values in some columns, groups in the order of their first rows.
using TableRows = std::vector<const StudyTable::Row*>;
std::vector<TableRows> group_rows(const StudyTable& table, const TableRows& rows,
                                  const std::vector<std::string>& keys);
TableRows all_rows(const StudyTable& table);

}  // namespace cone

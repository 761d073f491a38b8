#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

// The results of a study, filled once; text, Markdown, CSV and JSON follow from it.

namespace cone {

/// Nothing where a question does not arise (the published result of a method that the paper does
/// not have): absent in JSON. NaN where a number could not be computed: null in JSON, "-" in
/// tables. Both are empty fields of CSV. Lists are in JSON only.
struct StudyValue
    : std::variant<std::monostate, bool, std::uint64_t, double, std::string, std::vector<double>> {
  using variant::variant;
  StudyValue(std::string_view text) : variant(std::string(text)) {}  // NOLINT: as a std::string
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

/// A table for readers: rows with the same keys make one line, whose cells have the values of all
/// of them ("a / b / c").
struct StudyView {
  struct Shown {
    std::string column;
    /// A column shown after the value, where it has one, between these texts.
    std::string beside = {}, before = {}, after = {};
    bool is_marked = false;  ///< with the mark of its row
  };

  std::string title;
  std::string note = {};                                       ///< above the table
  std::vector<std::pair<std::string, std::string>> only = {};  ///< rows with these texts
  std::vector<std::string> keys;
  std::string across = {};  ///< every value of this column has columns of its own
  std::vector<Shown> shown;
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

/// One table of a study as text: cells under titles.
struct ShownTable {
  struct Cell {
    std::string text;
    bool is_marked = false;
  };
  std::string title;
  std::string note;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

ShownTable show(const StudyTable& table, const StudyView& view);
std::string tables_text(std::span<const ShownTable> tables);
std::string tables_markdown(std::span<const ShownTable> tables);

}  // namespace cone

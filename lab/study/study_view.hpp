#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "study/study_table.hpp"

namespace cone {

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

#pragma once

#include <span>
#include <string>
#include <vector>

namespace cone {

/// A table of a study, to be shown as text or as Markdown.
struct TitledTable {
  struct Cell {
    std::string text;
    bool is_marked = false;  ///< text: followed by a star; Markdown: bold
  };

  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

std::string tables_text(std::span<const TitledTable> tables);
std::string tables_markdown(std::span<const TitledTable> tables);

/// "0.0116 ± 0.0005", or "-" where there is no value. About four significant digits.
std::string value_with_error(double value, double error);
/// "88.1 %", or "-" where there is no value.
std::string share_text(double share);

}  // namespace cone

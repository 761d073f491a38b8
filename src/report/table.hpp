#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html.hpp"

namespace cone::report {

/// A table of a page. The first column is a heading of its row; numbers stand at the right.
class Table {
 public:
  explicit Table(std::vector<std::string> titles, bool is_text = false);
  void add_row(const std::vector<std::string>& cells);
  void add_row(const std::vector<Html>& cells);
  /// In a box of its own that scrolls, `name` for those who cannot see it.
  Html finish(std::string_view name) const;

 private:
  std::vector<std::string> titles_;
  bool is_text_;  ///< words, not numbers
  Html rows_;
};

/// A chart with its caption and, behind "Numbers", the table of what it shows.
Html figure(std::string_view caption, const Html& chart, const Html& table, bool has_left = false);

/// The same with words of any length below the caption.
Html figure(std::string_view caption, const Html& words, const Html& chart, const Html& table,
            bool has_left = false);

}  // namespace cone::report

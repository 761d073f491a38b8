#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html.hpp"

namespace cone::report {

/// A table of a page. The first column is the row heading; numbers are right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> titles, bool is_text = false);
  void add_row(const std::vector<std::string>& cells);
  void add_row(const std::vector<Html>& cells);
  /// In a scrolling box; `name` labels it for screen readers.
  Html finish(std::string_view name) const;

 private:
  std::vector<std::string> titles_;
  bool is_text_;  ///< text, not numbers
  Html rows_;
};

/// A chart with its caption and, folded under "Numbers", the table of its values.
Html figure(std::string_view caption, const Html& chart, const Html& table, bool has_left = false);

/// The same with text below the caption.
Html figure(std::string_view caption, const Html& words, const Html& chart, const Html& table,
            bool has_left = false);

}  // namespace cone::report

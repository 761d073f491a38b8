#pragma once

#include <string>
#include <vector>

#include "cone/dataset.hpp"

namespace cone {

/// Rows of cells under a header, columns aligned (numbers to the right, by display width), two
/// spaces apart, a rule under the header.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string title;
    Align align = Align::kRight;
  };

  explicit TextTable(std::vector<Column> columns);
  void add_row(std::vector<std::string> cells);
  std::string to_string() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "0.4", or "mean 0.37, by column price".
std::string arm_cost_text(const ArmCost& arm);

}  // namespace cone

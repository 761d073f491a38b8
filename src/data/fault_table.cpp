#include "data/fault_table.hpp"

#include <utility>

#include <fmt/format.h>

namespace cone::load {

void Tally::merge(const Tally& other) {
  if (other.count == 0) return;
  const std::uint64_t total = count + other.count;
  const std::uint64_t total_none = num_none + other.num_none;
  if (count == 0 || other.first_row < first_row) *this = other;
  count = total;
  num_none = total_none;
}

const char* FaultTable::row_word(std::uint64_t count) const {
  if (is_file()) return count == 1 ? "line" : "lines";
  return count == 1 ? "row" : "rows";
}

Place FaultTable::cell(std::size_t column, const Tally& tally) const {
  if (is_file()) {
    return {.file = file,
            .line = tally.first_row,
            .column = column_name(column),
            .item = tally.first_id};
  }
  const std::string id = tally.first_id.empty() ? "" : fmt::format(" ({})", tally.first_id);
  return {.file = fmt::format("row {}{}", tally.first_row, id), .column = column_name(column)};
}

}  // namespace cone::load

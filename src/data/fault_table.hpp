#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cone/error.hpp"
#include "cone/text.hpp"

namespace cone::load {

/// The odd cells of one column and kind: how many, and the first.
struct Tally {
  std::uint64_t count = 0;
  std::uint64_t first_row = 0;  ///< the line of a file (from 1), the row of arrays (from 0)
  std::string first_text;
  std::string first_id;
  std::uint64_t num_none = 0;  ///< of labels: cells with "none", which may be meant as a label

  /// Adds the counts of another tally; the earlier row stays the first.
  void merge(const Tally& other);
};

/// The node table as messages refer to it: lines of a file, or rows of arrays.
struct FaultTable {
  std::string file;  ///< empty for arrays
  std::span<const std::string> header;
  std::uint64_t num_rows = 0;

  bool is_file() const { return !file.empty(); }
  std::string column_name(std::size_t column) const { return printable(header[column]); }
  /// "line" or "row", in the plural where `count` asks for it.
  const char* row_word(std::uint64_t count = 1) const;

  Place whole() const { return {.file = file}; }
  Place column(std::size_t column) const { return {.file = file, .column = column_name(column)}; }
  /// The first cell of a tally.
  Place cell(std::size_t column, const Tally& tally) const;
};

}  // namespace cone::load

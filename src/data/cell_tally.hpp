#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cone/error.hpp"

#include "data/csv.hpp"
#include "data/fault_table.hpp"

namespace cone::load {

/// What is odd about a cell that should hold a number.
enum class Oddity {
  kMissing,
  kText,
  kNotFinite,
  kTooLarge,
  kNegative,
  kNegativeWeight,
  kNotAProbability,
  kImpossible,
  kUneven,  ///< propensities that do not add up to 1
  kAnswer,  ///< yes or no, as an outcome: 1 or 0
};
inline constexpr std::size_t kNumOddities = 10;

/// The odd cells of one column.
struct ColumnTally {
  std::size_t column = 0;
  std::array<Tally, kNumOddities> by_oddity;

  const Tally& of(Oddity oddity) const { return by_oddity[static_cast<std::size_t>(oddity)]; }
};

/// Odd cells by column. Columns without any cost nothing, so that a wide table of numbers is read
/// at full speed.
class CellTallies {
 public:
  void add(const CsvRecords& record, std::size_t column, std::string_view id, Oddity oddity);
  /// One cell, or many that were counted elsewhere.
  void add(std::size_t column, Oddity oddity, const Tally& cells);
  /// Appends the tallies of a later part of the file.
  void merge(const CellTallies& later);
  /// nullptr for a column without odd cells.
  const ColumnTally* find(std::size_t column) const;
  std::uint64_t count(std::size_t column, Oddity oddity) const;
  bool empty() const { return columns_.empty(); }

 private:
  ColumnTally& at(std::size_t column);

  std::vector<ColumnTally> columns_;
  std::vector<std::uint32_t> position_;  // by column: one more than its index in columns_, or 0
};

/// One message for one kind of odd cells of a column: where the first is, how many rows of how
/// many, what to do.
Fault describe(const FaultTable& table, std::size_t column, Oddity oddity, const Tally& tally,
               std::string advice);

}  // namespace cone::load

#include "data/cell_tally.hpp"

#include <fmt/format.h>

#include "cone/text.hpp"

namespace cone::load {

ColumnTally& CellTallies::at(std::size_t column) {
  if (position_.size() <= column) position_.resize(column + 1, 0);
  if (position_[column] == 0) {
    columns_.push_back({.column = column});
    position_[column] = static_cast<std::uint32_t>(columns_.size());
  }
  return columns_[position_[column] - 1];
}

void CellTallies::add(const CsvRecords& record, std::size_t column, std::string_view id,
                      Oddity oddity) {
  Tally& tally = at(column).by_oddity[static_cast<std::size_t>(oddity)];
  if (tally.count++ > 0) return;
  tally.first_row = record.line();
  tally.first_text = printable(record[column]);
  tally.first_id = printable(id);
}

void CellTallies::add(std::size_t column, Oddity oddity, const Tally& cells) {
  if (cells.count > 0) at(column).by_oddity[static_cast<std::size_t>(oddity)].merge(cells);
}

void CellTallies::merge(const CellTallies& later) {
  for (const ColumnTally& column : later.columns_) {
    ColumnTally& mine = at(column.column);
    for (std::size_t k = 0; k < kNumOddities; ++k) mine.by_oddity[k].merge(column.by_oddity[k]);
  }
}

const ColumnTally* CellTallies::find(std::size_t column) const {
  if (position_.size() <= column || position_[column] == 0) return nullptr;
  return &columns_[position_[column] - 1];
}

std::uint64_t CellTallies::count(std::size_t column, Oddity oddity) const {
  const ColumnTally* tally = find(column);
  return tally == nullptr ? 0 : tally->of(oddity).count;
}

Fault describe(const FaultTable& table, std::size_t column, Oddity oddity, const Tally& tally,
               std::string advice) {
  std::string what;
  switch (oddity) {
    case Oddity::kMissing:
      what = "missing";
      break;
    case Oddity::kText:
      what = fmt::format("'{}' is not a number", tally.first_text);
      break;
    case Oddity::kNotFinite:
      what = fmt::format("'{}' is not finite", tally.first_text);
      break;
    case Oddity::kTooLarge:
      what = fmt::format("'{}' is too large to compute with", tally.first_text);
      break;
    case Oddity::kNegative:
      what = fmt::format("'{}' is a negative count", tally.first_text);
      break;
    case Oddity::kNegativeWeight:
      what = fmt::format("'{}' is a negative weight", tally.first_text);
      break;
    case Oddity::kNotAProbability:
      what = fmt::format("'{}' is not a probability", tally.first_text);
      break;
    case Oddity::kImpossible:
      what = fmt::format("the propensity is '{}': the logged action had probability zero",
                         tally.first_text);
      break;
    case Oddity::kUneven:
      what = fmt::format("the propensities add up to {}", tally.first_text);
      break;
    case Oddity::kAnswer:
      what = fmt::format("'{}' is mixed with numbers", tally.first_text);
      break;
  }
  const std::string rows = fmt::format("{} of {} {}", grouped(tally.count), grouped(table.num_rows),
                                       table.row_word(table.num_rows));
  if (oddity == Oddity::kMissing) {
    what += tally.count > 1 ? fmt::format(" in {}, this one being the first", rows)
                            : fmt::format(" in this {}", table.row_word());
  } else if (tally.count > 1) {
    what += fmt::format(" ({} have such a value, this one being the first)", rows);
  }
  return {table.cell(column, tally), std::move(what), std::move(advice)};
}

}  // namespace cone::load

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "data/cell_tally.hpp"
#include "data/column_roles.hpp"

namespace cone::load {

/// How often each arm occurs, and what else stands in the treatment's column.
struct ArmTally {
  static constexpr std::size_t kMaxOthers = 64;  // who has more is not coding arms

  std::array<std::uint64_t, 2> num_in_arm = {0, 0};
  std::map<std::string, Tally> others;  ///< by text
  std::uint64_t num_unnamed = 0;        ///< cells with yet other texts

  void add_other(const CsvRecords& record, std::string_view text, std::string_view id);
  void merge(const ArmTally& later);
};

/// One sentence about a treatment that is not coded 0 and 1, or has one arm only.
void report_arms(const CsvFile& file, std::size_t column, const ArmTally& arms, FaultList& faults);

/// One sentence per column and kind about cells that cannot be used, text in features excepted.
void report_odd_cells(const CsvFile& file, const ColumnRoles& roles, const CellTallies& odd,
                      MissingPolicy missing, FaultList& faults);

}  // namespace cone::load

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/arm_labels.hpp"
#include "data/cell_tally.hpp"
#include "data/csv.hpp"
#include "data/load_parts.hpp"

namespace cone::load {

/// A line lacks a feature, or a column with another role; or it has a cell that cannot be read.
enum Gap : std::uint8_t { kNoGap = 0, kFeatureGap = 1, kRoleGap = 2, kUnread = 4 };

/// Chooses the arms and replaces the label codes in `table.treatment`, which number the labels of
/// their chunk of the file, by arms. Lines without an arm get a gap. Checks the columns given per
/// arm. Where there is a fault, there are no arms.
void settle_arms(const Source& source, const CsvFile& file, const ColumnRoles& roles,
                 std::span<const LabelTally> labels_by_chunk, std::vector<std::uint8_t>& gaps,
                 NodeTable& table, CellTallies& odd);

}  // namespace cone::load

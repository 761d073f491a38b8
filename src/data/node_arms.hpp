#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/arm_labels.hpp"
#include "data/cell_tally.hpp"
#include "data/csv.hpp"
#include "data/load_parts.hpp"

namespace cone::load {

/// A line lacks a value: of a feature, or of anything else; or it holds what cannot be read.
enum Gap : std::uint8_t { kNoGap = 0, kFeatureGap = 1, kRoleGap = 2, kUnread = 4 };

/// Chooses the arms and turns the codes of labels in `table.treatment`, which count the labels of
/// their chunk of the file, into arms. Lines without an arm get a gap. Checks what is given about
/// the arms. Faults where something does not fit, and then no arms.
void settle_arms(const Source& source, const CsvFile& file, const ColumnRoles& roles,
                 std::span<const LabelTally> labels_by_chunk, std::vector<std::uint8_t>& gaps,
                 NodeTable& table, CellTallies& odd);

}  // namespace cone::load

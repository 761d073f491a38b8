#include "data/node_arms.hpp"

#include <algorithm>
#include <array>

#include "cone/text.hpp"

#include "data/csv.hpp"

namespace cone::load {
namespace {

/// The code in the whole file of every code in a chunk.
using Codes = std::array<std::uint8_t, LabelTally::kMostLabels>;

/// Sets the arm of every line, and a gap where there is none.
void take_arms(const ArmChoice& choice, const CsvFile& file, const std::vector<Codes>& codes,
               std::vector<std::uint8_t>& gaps, std::vector<Arm>& treatment) {
  for (std::size_t number = 0; number < file.chunks().size(); ++number) {
    const CsvChunk& chunk = file.chunks()[number];
    for (std::uint64_t row = chunk.first_record; row < chunk.first_record + chunk.num_records;
         ++row) {
      const std::uint8_t label = treatment[row];
      std::uint8_t arm = LabelTally::kNone;
      if (label != LabelTally::kNone) arm = choice.arm_of_label[codes[number][label]];
      if (arm == LabelTally::kNone && (gaps[row] & kUnread) == 0) {
        gaps[row] |= kRoleGap;
      }
      treatment[row] = arm == LabelTally::kNone ? kControlArm : arm;
    }
  }
}

/// The location and the text of a cell. Reads its chunk again: for messages only.
Tally locate_cell(const CsvFile& file, const ColumnRoles& roles, std::uint64_t row,
                  std::size_t column) {
  for (const CsvChunk& chunk : file.chunks()) {
    if (row < chunk.first_record || row >= chunk.first_record + chunk.num_records) continue;
    CsvRecords records(file, chunk);
    while (records.next()) {
      if (records.record() != row) continue;
      return {.first_row = records.line(),
              .first_text = printable(records[column]),
              .first_id = roles.id ? printable(records[*roles.id]) : ""};
    }
  }
  return {};
}

}  // namespace

void settle_arms(const Source& source, const CsvFile& file, const ColumnRoles& roles,
                 std::span<const LabelTally> labels_by_chunk, std::vector<std::uint8_t>& gaps,
                 NodeTable& table, CellTallies& odd) {
  LabelTally labels;
  std::vector<Codes> codes;
  for (const LabelTally& chunk : labels_by_chunk) codes.push_back(labels.merge(chunk));
  const FaultTable title{file.name(), file.header(), file.num_records()};
  const auto choice = choose_arms(title, *roles.treatment, labels, source.options.control,
                                  source.faults, source.notes);
  odd.add(*roles.treatment, Oddity::kMissing, choice ? choice->missing : labels.missing());
  if (!choice) {
    std::fill(table.treatment.begin(), table.treatment.end(), kControlArm);
    return;
  }
  take_arms(*choice, file, codes, gaps, table.treatment);
  table.arms = choice->arms;
  const std::uint64_t num_faults = source.faults.total();
  check_given_arms(title, table.arms, table.given, source.faults);
  if (source.faults.total() > num_faults) return;
  tally_propensities(
      table.arms, table.given, table.treatment,
      [&](std::size_t row) { return (gaps[row] & (kRoleGap | kUnread)) == 0; },
      [&](std::size_t row, std::size_t column) { return locate_cell(file, roles, row, column); },
      odd);
}

}  // namespace cone::load

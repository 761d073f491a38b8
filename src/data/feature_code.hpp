#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cone/dataset.hpp"

#include "data/cell_tally.hpp"
#include "data/column_roles.hpp"
#include "data/csv.hpp"
#include "data/load_parts.hpp"

namespace cone::load {

enum class FeatureKind { kNumber, kIndicator, kCategory, kCount };
const char* kind_name(FeatureKind kind);

/// How the cells of one column become columns of the feature table.
struct FeatureCode {
  std::size_t column = 0;
  FeatureKind kind = FeatureKind::kNumber;
  std::vector<std::string> names;   ///< of the columns it becomes
  IdTable levels;                   ///< of a category
  std::vector<std::uint32_t> code;  ///< of every level: which of `names`
  /// Which of `names` marks a missing value, where it may be missing.
  std::optional<std::uint32_t> missing_code;
};

/// Decides the kind of every feature from all its values. Faults for columns that cannot be used.
/// `is_left_out` as in NodeTable.
std::vector<FeatureCode> choose_codes(const Source& source, const CsvFile& file,
                                      const ColumnRoles& roles, const CellTallies& odd,
                                      const std::vector<std::uint8_t>& is_left_out);

/// Reads the table again and encodes every line. The result has NaN where a number is missing.
FeatureTable encode_features(const Source& source, const CsvFile& file,
                             const std::vector<FeatureCode>& codes);

}  // namespace cone::load

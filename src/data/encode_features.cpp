#include <algorithm>
#include <limits>
#include <utility>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/feature_code.hpp"
#include "data/number.hpp"

namespace cone::load {
namespace {

struct EncodedChunk {
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  std::vector<std::uint64_t> row_ends;  ///< one per record, malformed ones included
};

/// Appends the entries of one cell; `first` is the first column that its code has.
void encode_cell(const FeatureCode& code, std::uint32_t first, std::string_view text,
                 EncodedChunk& out) {
  const auto put = [&](std::uint32_t offset, double value) {
    out.columns.push_back(first + offset);
    out.values.push_back(value);
  };
  const ParsedNumber number = parse_number(text);
  if (number.kind == NumberKind::kMissing) {
    // A missing category is its own level; a missing number is replaced by the mean later.
    if (!code.missing_code) return;
    if (code.kind != FeatureKind::kCategory) put(0, std::numeric_limits<double>::quiet_NaN());
    put(*code.missing_code, 1);
    return;
  }
  if (code.kind == FeatureKind::kCategory) {
    // A level that occurs only on excluded lines has no column.
    if (const auto level = code.levels.find(trimmed(text))) put(code.code[*level], 1);
    return;
  }
  const double value = code.kind == FeatureKind::kIndicator
                           ? (parse_truth_value(text).value_or(false) ? 1.0 : 0.0)
                           : number.value;
  if (value != 0) put(0, value);
}

}  // namespace

FeatureTable encode_features(const Source& source, const CsvFile& file,
                             const std::vector<FeatureCode>& codes) {
  FeatureTable table;
  std::vector<std::uint32_t> first;
  for (const FeatureCode& code : codes) {
    first.push_back(static_cast<std::uint32_t>(table.names.size()));
    table.names.insert(table.names.end(), code.names.begin(), code.names.end());
    if (code.kind != FeatureKind::kCount) table.num_dense = table.names.size();
  }
  std::vector<EncodedChunk> chunks(file.chunks().size());
  FaultList known;  // a file with malformed lines was refused before
  file.for_each_chunk(source.context, "encoding features", known,
                      [&](std::size_t number, CsvRecords& records) {
                        EncodedChunk& out = chunks[number];
                        while (records.next()) {
                          for (std::size_t k = 0; k < codes.size(); ++k) {
                            encode_cell(codes[k], first[k], records[codes[k].column], out);
                          }
                          out.row_ends.push_back(out.columns.size());
                        }
                      });
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (EncodedChunk& chunk : chunks) {
    const std::uint64_t start = columns.size();
    for (const std::uint64_t end : chunk.row_ends) offsets.push_back(start + end);
    columns.insert(columns.end(), chunk.columns.begin(), chunk.columns.end());
    values.insert(values.end(), chunk.values.begin(), chunk.values.end());
    chunk = {};
  }
  table.matrix =
      SparseMatrix(table.names.size(), std::move(offsets), std::move(columns), std::move(values));
  return table;
}

}  // namespace cone::load

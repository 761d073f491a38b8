#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/cell_tally.hpp"
#include "data/cluster_labels.hpp"
#include "data/column_roles.hpp"
#include "data/csv.hpp"
#include "data/feature_code.hpp"
#include "data/load_parts.hpp"
#include "data/node_arms.hpp"
#include "data/node_faults.hpp"
#include "data/number.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

/// Where the numbers of a column go.
struct NumberTarget {
  std::size_t column;
  double* values;
  Quantity quantity = Quantity::kOutcome;
};

/// The arrays that all chunks write to.
struct NodeArrays {
  const ColumnRoles& roles;
  std::vector<NumberTarget> numbers;
  std::vector<std::uint8_t>& treatment;  ///< codes of the chunk's labels at first
  std::vector<std::uint32_t>& cluster;   ///< likewise
  std::vector<std::uint8_t> gaps;
  std::vector<std::uint64_t> row_sizes;
};

/// The results of one chunk, besides the rows of the arrays.
struct ChunkOfNodes {
  std::string id_bytes;
  std::vector<std::uint32_t> id_sizes;  ///< of the usable ids
  std::vector<std::uint32_t> columns;   ///< of non-zero features
  std::vector<double> values;
  std::uint64_t num_without_id = 0;  ///< records without a usable id
  LabelTally labels;
  ClusterLabels clusters;
  CellTallies odd;
};

/// The number in a cell; 0, and a mark in the tally, for anything else.
double read_number(const CsvRecords& record, std::size_t column, std::string_view id,
                   CellTallies& odd, Gap gap, std::uint8_t& gaps, bool is_outcome = false) {
  const ParsedNumber number = parse_number(record[column]);
  if (number.kind == NumberKind::kFinite) {
    if (number_problem(number.value) != nullptr) {
      odd.add(record, column, id, Oddity::kTooLarge);
    }
    return number.value;
  }
  if (number.kind == NumberKind::kMissing) {
    gaps |= gap;
    odd.add(record, column, id, Oddity::kMissing);
  } else if (number.kind == NumberKind::kNotFinite) {
    if (gap == kRoleGap) gaps |= kUnread;
    odd.add(record, column, id, Oddity::kNotFinite);
  } else {
    const std::optional<bool> truth = parse_truth_value(record[column]);
    if (truth && gap == kRoleGap) return *truth ? 1 : 0;
    if (const auto answer = parse_answer(record[column]); answer && is_outcome) {
      odd.add(record, column, id, Oddity::kAnswer);
      return *answer ? 1 : 0;
    }
    if (gap == kRoleGap) gaps |= kUnread;
    odd.add(record, column, id, Oddity::kText);
  }
  return 0;
}

void read_record(CsvRecords& record, NodeArrays& arrays, ChunkOfNodes& out) {
  const std::uint64_t row = record.record();
  std::uint8_t& gaps = arrays.gaps[row];
  gaps = kNoGap;
  std::string_view id;
  if (arrays.roles.id) {
    id = record[*arrays.roles.id];
    if (validation::read_text(record, *arrays.roles.id)) {
      out.id_bytes += id;
      out.id_sizes.push_back(static_cast<std::uint32_t>(id.size()));
    } else {
      ++out.num_without_id;
    }
  }
  if (arrays.roles.treatment) {
    arrays.treatment[row] = out.labels.add(record[*arrays.roles.treatment], record.line(), id);
  }
  for (const NumberTarget& target : arrays.numbers) {
    const double value = read_number(record, target.column, id, out.odd, kRoleGap, gaps,
                                     target.quantity == Quantity::kOutcome);
    target.values[row] = value;
    if (target.quantity == Quantity::kPropensity && (value < 0 || value > 1)) {
      out.odd.add(record, target.column, id, Oddity::kNotAProbability);
    } else if (target.quantity == Quantity::kWeight && value < 0) {
      out.odd.add(record, target.column, id, Oddity::kNegativeWeight);
    }
  }
  if (const auto column = arrays.roles.cluster) {
    if (parse_number(record[*column]).kind == NumberKind::kMissing) {
      gaps |= kRoleGap;
      out.odd.add(record, *column, id, Oddity::kMissing);
    } else {
      arrays.cluster[row] = out.clusters.add(record[*column]);
    }
  }
  const std::size_t num_before = out.columns.size();
  for (std::size_t j = 0; j < arrays.roles.features.size(); ++j) {
    const FeatureColumn& feature = arrays.roles.features[j];
    if (feature.role == FeatureRole::kCategory) {  // coded later
      if (parse_number(record[feature.column]).kind != NumberKind::kMissing) continue;
      gaps |= kFeatureGap;
      out.odd.add(record, feature.column, id, Oddity::kMissing);
      continue;
    }
    const double value = read_number(record, feature.column, id, out.odd, kFeatureGap, gaps);
    if (value == 0) continue;
    if (value < 0 && feature.role == FeatureRole::kCount) {
      out.odd.add(record, feature.column, id, Oddity::kNegative);
    }
    out.columns.push_back(static_cast<std::uint32_t>(j));
    out.values.push_back(value);
  }
  arrays.row_sizes[row + 1] = out.columns.size() - num_before;
}

NodeArrays allocate(const CsvFile& file, const ColumnRoles& roles, NodeTable& table) {
  const std::size_t num_rows = file.num_records();
  table.treatment.assign(num_rows, LabelTally::kNone);
  if (roles.cluster) table.cluster.assign(num_rows, 0);
  NodeArrays arrays{.roles = roles, .treatment = table.treatment, .cluster = table.cluster};
  arrays.gaps.assign(num_rows, kUnread);
  arrays.row_sizes.assign(num_rows + 1, 0);
  table.given.reserve(roles.numbers.size());  // so that the targets stay where they are
  table.kept.reserve(roles.numbers.size());
  for (const NumberRole& role : roles.numbers) {
    std::vector<double>* values = &table.outcome;
    if (role.quantity == Quantity::kKept) {
      values = &table.kept.emplace_back(NamedColumn{role.name, {}}).values;
    } else if (role.quantity == Quantity::kWeight) {
      values = &table.weight;
    } else if (role.quantity != Quantity::kOutcome) {
      values = &table.given.emplace_back(GivenColumn{role, {}}).values;
    }
    values->assign(num_rows, 0);
    arrays.numbers.push_back({role.column, values->data(), role.quantity});
  }
  return arrays;
}

/// The first line with an id. Reads the file again: for the message about a repeat.
std::uint64_t first_line_of(const CsvFile& file, std::size_t column, std::string_view id) {
  for (const CsvChunk& chunk : file.chunks()) {
    CsvRecords records(file, chunk);
    while (records.next()) {
      if (records[column] == id) return records.line();
    }
  }
  return 0;
}

/// The line of the n-th (from 0) record with a usable id.
std::uint64_t line_of_usable(const CsvFile& file, std::size_t column, std::uint64_t number) {
  for (const CsvChunk& chunk : file.chunks()) {
    CsvRecords records(file, chunk);
    while (records.next()) {
      const std::string_view id = records[column];
      if (id.empty() || text_problem(id) != nullptr) continue;
      if (number-- == 0) return records.line();
    }
  }
  return 0;
}

void fill_id_table(const CsvFile& file, std::size_t id_column,
                   const std::vector<ChunkOfNodes>& chunks, FaultList& faults, IdTable& ids) {
  std::size_t num_bytes = 0;
  for (const ChunkOfNodes& chunk : chunks) num_bytes += chunk.id_bytes.size();
  ids.reserve(file.num_records(), num_bytes);
  std::uint64_t number = 0;
  for (const ChunkOfNodes& chunk : chunks) {
    std::size_t position = 0;
    for (const std::uint32_t size : chunk.id_sizes) {
      const std::string_view id = std::string_view(chunk.id_bytes).substr(position, size);
      position += size;
      if (!ids.insert(id).inserted) {
        validation::add_fault(faults, "duplicate id", [&]() -> Fault {
          return {{.file = file.name(),
                   .line = line_of_usable(file, id_column, number),
                   .column = printable(file.header()[id_column]),
                   .item = printable(id)},
                  fmt::format("the id is already on line {}", first_line_of(file, id_column, id)),
                  fmt::format("give every node one line; if '{0}' is not an id, --ignore {0}",
                              printable(file.header()[id_column]))};
        });
      }
      ++number;
    }
  }
}

void number_lines(std::size_t num_lines, IdTable& ids) {
  for (std::size_t i = 1; i <= num_lines; ++i) ids.insert(std::to_string(i));
}

SparseMatrix gather_features(const Context& context, std::size_t num_features,
                             std::vector<std::uint64_t> row_sizes,
                             std::vector<ChunkOfNodes>& chunks) {
  for (std::size_t i = 1; i < row_sizes.size(); ++i) row_sizes[i] += row_sizes[i - 1];
  std::vector<std::uint64_t> starts = {0};
  for (const ChunkOfNodes& chunk : chunks) starts.push_back(starts.back() + chunk.columns.size());
  std::vector<std::uint32_t> columns(starts.back());
  std::vector<double> values(starts.back());
  context.for_each_range(chunks.size(), 1, [&](std::size_t number, std::size_t) {
    // Moved out, so that the chunk's memory is released as soon as it is copied.
    const std::vector<std::uint32_t> from_columns = std::move(chunks[number].columns);
    const std::vector<double> from_values = std::move(chunks[number].values);
    std::copy(from_columns.begin(), from_columns.end(), columns.data() + starts[number]);
    std::copy(from_values.begin(), from_values.end(), values.data() + starts[number]);
  });
  return {num_features, std::move(row_sizes), std::move(columns), std::move(values)};
}

/// Notes how yes and no are coded as an outcome.
void note_answers(const CsvFile& file, const ColumnRoles& roles, const CellTallies& odd,
                  std::vector<std::string>& notes) {
  for (const NumberRole& role : roles.numbers) {
    if (odd.count(role.column, Oddity::kAnswer) == 0) continue;
    notes.push_back(fmt::format("the outcome '{}' is yes or no: yes is coded as 1, no as 0",
                                printable(file.header()[role.column])));
  }
}

/// Which lines the policy for missing values drops; empty where none.
std::vector<std::uint8_t> lines_to_leave_out(MissingPolicy missing,
                                             const std::vector<std::uint8_t>& gaps) {
  if (missing == MissingPolicy::kRefuse) return {};
  const int mask = missing == MissingPolicy::kDrop ? kRoleGap | kFeatureGap : kRoleGap;
  std::vector<std::uint8_t> out(gaps.size());
  bool any = false;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    out[i] = (gaps[i] & mask) != 0 ? 1 : 0;
    any = any || out[i] != 0;
  }
  return any ? out : std::vector<std::uint8_t>{};
}

/// Whether the numbers of the first pass are the features, without any encoding.
bool are_plain_numbers(const ColumnRoles& roles, const CellTallies& odd, MissingPolicy missing) {
  return std::all_of(roles.features.begin(), roles.features.end(), [&](const FeatureColumn& f) {
    return f.role != FeatureRole::kCategory && odd.count(f.column, Oddity::kText) == 0 &&
           (missing != MissingPolicy::kIndicate || odd.count(f.column, Oddity::kMissing) == 0);
  });
}

FeatureTable plain_table(const CsvFile& file, const ColumnRoles& roles, SparseMatrix matrix) {
  FeatureTable table;
  table.matrix = std::move(matrix);
  for (const FeatureColumn& feature : roles.features) {
    table.names.push_back(file.header()[feature.column]);
    table.num_dense += feature.role == FeatureRole::kCount ? 0 : 1;
  }
  return table;
}

std::vector<TableColumn> summarise(const CsvFile& file, const ColumnRoles& roles,
                                   const std::vector<FeatureCode>& codes, const CellTallies& odd) {
  std::vector<TableColumn> columns(file.header().size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    columns[j] = {
        .name = file.header()[j], .role = "ignored", .num_missing = odd.count(j, Oddity::kMissing)};
  }
  if (roles.id) columns[*roles.id].role = "id";
  if (roles.treatment) columns[*roles.treatment].role = "treatment";
  if (roles.cluster) columns[*roles.cluster].role = "cluster";
  for (const NumberRole& role : roles.numbers) {
    columns[role.column].role = role.quantity == Quantity::kKept ? "kept" : role.name;
  }
  std::size_t next = 0;
  for (std::size_t k = 0; k < roles.features.size(); ++k) {
    TableColumn& column = columns[roles.features[k].column];
    const bool is_count = roles.features[k].role == FeatureRole::kCount;
    column.role = "feature";
    column.kind = codes.empty() ? (is_count ? "count" : "number") : kind_name(codes[k].kind);
    column.first_feature = next;
    column.num_features = codes.empty() ? 1 : codes[k].names.size();
    next += column.num_features;
  }
  return columns;
}

}  // namespace

NodeTable read_nodes(const Source& source) {
  NodeTable table;
  const auto file = source.open("nodes.csv");
  if (file == nullptr) return table;
  table.title = std::filesystem::path(file->name()).filename().string();
  FaultList& faults = source.faults;
  const auto roles = assign_roles(*file, source.options, faults, source.notes);
  if (!roles) return table;  // some other file, or no header
  validation::check_has_records(*file, "node", faults);

  NodeArrays arrays = allocate(*file, *roles, table);
  std::vector<ChunkOfNodes> chunks(file->chunks().size());
  file->for_each_chunk(source.context, "reading nodes", faults,
                       [&](std::size_t number, CsvRecords& records) {
                         ChunkOfNodes& out = chunks[number];
                         const std::size_t num_records = file->chunks()[number].num_records;
                         out.id_sizes.reserve(num_records);
                         out.columns.reserve(num_records * roles->features.size());
                         out.values.reserve(num_records * roles->features.size());
                         while (records.next()) read_record(records, arrays, out);
                         out.num_without_id += records.num_malformed();
                       });

  CellTallies odd;
  std::uint64_t num_without_id = 0;
  for (const ChunkOfNodes& chunk : chunks) {
    odd.merge(chunk.odd);
    num_without_id += chunk.num_without_id;
  }
  table.has_all_ids = num_without_id == 0;
  if (roles->id) {
    fill_id_table(*file, *roles->id, chunks, faults, table.ids);
  } else {
    number_lines(file->num_records(), table.ids);
  }
  if (roles->treatment) {
    std::vector<LabelTally> labels;
    labels.reserve(chunks.size());
    for (ChunkOfNodes& chunk : chunks) labels.push_back(std::move(chunk.labels));
    settle_arms(source, *file, *roles, labels, arrays.gaps, table, odd);
  }
  if (roles->cluster) {
    std::vector<ClusterLabels> labels;
    labels.reserve(chunks.size());
    for (ChunkOfNodes& chunk : chunks) labels.push_back(std::move(chunk.clusters));
    join_clusters(*file, labels, table.cluster);
  }
  note_answers(*file, *roles, odd, source.notes);
  table.is_left_out = lines_to_leave_out(source.options.missing, arrays.gaps);
  report_odd_cells({file->name(), file->header(), file->num_records()}, *roles, odd,
                   source.options.missing, faults);

  std::vector<FeatureCode> codes;
  if (are_plain_numbers(*roles, odd, source.options.missing)) {
    table.features = plain_table(*file, *roles,
                                 gather_features(source.context, roles->features.size(),
                                                 std::move(arrays.row_sizes), chunks));
  } else {
    chunks.clear();
    codes = choose_codes(source, *file, *roles, odd, table.is_left_out);
    if (faults.empty()) table.features = encode_features(source, *file, codes);
  }
  if (faults.empty()) table.columns = summarise(*file, *roles, codes, odd);
  return table;
}

}  // namespace cone::load

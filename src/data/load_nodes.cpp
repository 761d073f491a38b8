#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cone/base/text.hpp"

#include "data/load_parts.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

constexpr std::array<std::string_view, 5> kOptionalColumns = {"propensity", "mu0", "mu1", "y0",
                                                              "y1"};

/// Where the columns of nodes.csv go.
struct NodeColumns {
  std::optional<std::size_t> id, treatment, propensity;
  std::vector<std::pair<std::size_t, double*>> finite;  ///< a column and the array it fills
  double* propensity_values = nullptr;
  std::vector<std::size_t> features;
};

/// What one chunk leaves behind besides the rows of the arrays.
struct ChunkOfNodes {
  std::string id_bytes;
  std::vector<std::uint32_t> id_sizes;  ///< of the usable ids
  std::vector<std::uint32_t> columns;   ///< of non-zero features
  std::vector<double> values;
  std::uint64_t num_without_id = 0;  ///< records that name no node
  std::array<std::uint64_t, 2> num_in_arm = {0, 0};
  std::uint64_t num_without_arm = 0;
};

void read_record(CsvRecords& record, const NodeColumns& columns, NodeTable& table,
                 std::vector<std::uint64_t>& row_sizes, ChunkOfNodes& out) {
  const std::uint64_t row = record.record();
  std::string_view id;
  if (columns.id) {
    id = record[*columns.id];
    if (validation::read_text(record, *columns.id)) {
      out.id_bytes += id;
      out.id_sizes.push_back(static_cast<std::uint32_t>(id.size()));
    } else {
      ++out.num_without_id;
    }
  }
  if (columns.treatment) {
    const std::uint64_t num_faults = record.faults().total();
    const std::uint8_t treatment = validation::read_treatment(record, *columns.treatment, id);
    table.treatment[row] = treatment;
    ++(record.faults().total() == num_faults ? out.num_in_arm[treatment] : out.num_without_arm);
  }
  for (const auto& [column, values] : columns.finite) {
    values[row] = validation::read_finite(record, column, id);
  }
  if (columns.propensity) {
    const double propensity = validation::read_probability(record, *columns.propensity, id);
    columns.propensity_values[row] = propensity;
    if (columns.treatment) {
      validation::check_logged_action(record, *columns.propensity, id, table.treatment[row],
                                      propensity);
    }
  }
  const std::size_t num_before = out.columns.size();
  for (std::size_t j = 0; j < columns.features.size(); ++j) {
    const double value = validation::read_finite(record, columns.features[j], id);
    if (value == 0) continue;
    out.columns.push_back(static_cast<std::uint32_t>(j));
    out.values.push_back(value);
  }
  row_sizes[row + 1] = out.columns.size() - num_before;
}

NodeColumns allocate_columns(const CsvFile& file, NodeTable& table) {
  const std::size_t num_rows = file.num_records();
  NodeColumns columns{.id = file.column("id"),
                      .treatment = file.column("treatment"),
                      .propensity = file.column("propensity")};
  table.treatment.assign(num_rows, 0);
  if (const auto outcome = file.column("outcome")) {
    table.outcome.assign(num_rows, 0);
    columns.finite.emplace_back(*outcome, table.outcome.data());
  }
  if (columns.propensity) {
    columns.propensity_values = table.propensity.emplace(num_rows).data();
  }
  const auto add_optional = [&](std::string_view name, std::optional<std::vector<double>>& values) {
    if (const auto column = file.column(name)) {
      columns.finite.emplace_back(*column, values.emplace(num_rows).data());
    }
  };
  add_optional("mu0", table.mu0);
  add_optional("mu1", table.mu1);
  add_optional("y0", table.y0);
  add_optional("y1", table.y1);
  for (std::size_t j = 0; j < file.header().size(); ++j) {
    const std::string& name = file.header()[j];
    const bool has_role =
        name == "id" || name == "treatment" || name == "outcome" ||
        std::find(kOptionalColumns.begin(), kOptionalColumns.end(), name) != kOptionalColumns.end();
    if (has_role) continue;
    columns.features.push_back(j);
    table.dense.names.push_back(name);
  }
  return columns;
}

/// The line on which an id stands first. Reads the file again: for the message about a repeat.
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
                   .column = "id",
                   .item = printable(id)},
                  fmt::format("the id is already on line {}", first_line_of(file, id_column, id)),
                  "every node has one line"};
        });
      }
      ++number;
    }
  }
}

/// Says nothing where a treatment could not be read: that is the fault to mend first.
void check_arms(const CsvFile& file, const std::vector<ChunkOfNodes>& chunks, FaultList& faults) {
  std::array<std::uint64_t, 2> num_in_arm = {0, 0};
  for (const ChunkOfNodes& chunk : chunks) {
    if (chunk.num_without_arm > 0) return;
    for (const std::size_t arm : {0, 1}) num_in_arm[arm] += chunk.num_in_arm[arm];
  }
  validation::check_arms(file.name(), num_in_arm, faults);
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
    // Moved out, so that the chunk's memory goes back as soon as it is copied.
    const std::vector<std::uint32_t> from_columns = std::move(chunks[number].columns);
    const std::vector<double> from_values = std::move(chunks[number].values);
    std::copy(from_columns.begin(), from_columns.end(), columns.data() + starts[number]);
    std::copy(from_values.begin(), from_values.end(), values.data() + starts[number]);
  });
  return {num_features, std::move(row_sizes), std::move(columns), std::move(values)};
}

}  // namespace

NodeTable read_nodes(const Source& source, const std::filesystem::path& path) {
  NodeTable table;
  const auto file = CsvFile::open(source.context, path, source.options, source.faults);
  if (file == nullptr) return table;
  FaultList& faults = source.faults;
  const bool has_id = validation::check_column(*file, "id", "each node needs an id", faults);
  const bool has_treatment = validation::check_column(
      *file, "treatment", "add what was done to each node, 0 or 1", faults);
  const bool has_outcome =
      validation::check_column(*file, "outcome", "add what came of it, a number a node", faults);
  if (!has_id && !has_treatment && !has_outcome) return table;  // some other file, or no header
  validation::check_pair(*file, "y0", "y1", faults);
  validation::check_pair(*file, "mu0", "mu1", faults);
  validation::check_has_records(*file, "node", faults);

  const NodeColumns columns = allocate_columns(*file, table);
  std::vector<std::uint64_t> row_sizes(file->num_records() + 1, 0);
  std::vector<ChunkOfNodes> chunks(file->chunks().size());
  file->for_each_chunk(source.context, "reading nodes", faults,
                       [&](std::size_t number, CsvRecords& records) {
                         ChunkOfNodes& out = chunks[number];
                         const std::size_t num_records = file->chunks()[number].num_records;
                         out.id_sizes.reserve(num_records);
                         out.columns.reserve(num_records * columns.features.size());
                         out.values.reserve(num_records * columns.features.size());
                         while (records.next())
                           read_record(records, columns, table, row_sizes, out);
                         out.num_without_id += records.num_malformed();
                       });

  table.has_all_ids = columns.id.has_value() &&
                      std::all_of(chunks.begin(), chunks.end(), [](const ChunkOfNodes& chunk) {
                        return chunk.num_without_id == 0;
                      });
  if (columns.id) fill_id_table(*file, *columns.id, chunks, faults, table.ids);
  if (has_treatment) check_arms(*file, chunks, faults);
  table.dense.num_dense = columns.features.size();
  table.dense.matrix =
      gather_features(source.context, columns.features.size(), std::move(row_sizes), chunks);
  return table;
}

}  // namespace cone::load

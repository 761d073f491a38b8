#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/load_parts.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

struct Entry {
  NodeIndex node = IdTable::kAbsent;
  std::uint32_t feature = 0;
  double value = 0;
};

struct Columns {
  std::size_t node, feature, value;
};

/// Replaces feature numbers of a chunk by those of the whole file, in the order of first
/// appearance, since the chunks are visited in order.
void number_features(const CsvFile& file, const std::vector<IdTable>& local_names,
                     std::vector<Entry>& entries, IdTable& names) {
  for (std::size_t chunk = 0; chunk < local_names.size(); ++chunk) {
    std::vector<std::uint32_t> global(local_names[chunk].size());
    for (std::size_t k = 0; k < global.size(); ++k) {
      global[k] = names.insert(local_names[chunk][static_cast<NodeIndex>(k)]).index;
    }
    if (global.empty()) continue;
    const CsvChunk& range = file.chunks()[chunk];
    for (std::uint64_t r = range.first_record; r < range.first_record + range.num_records; ++r) {
      entries[r].feature = global[entries[r].feature];
    }
  }
}

/// The record numbers in the order of (node, feature), file order within a pair.
std::vector<std::uint64_t> order_by_node(const Context& context, std::size_t num_nodes,
                                         const std::vector<Entry>& entries,
                                         std::vector<std::uint64_t>& offsets) {
  offsets.assign(num_nodes + 1, 0);
  for (const Entry& entry : entries) {
    if (entry.node != IdTable::kAbsent) ++offsets[entry.node + 1];
  }
  for (std::size_t i = 0; i < num_nodes; ++i) offsets[i + 1] += offsets[i];
  std::vector<std::uint64_t> order(offsets.back());
  std::vector<std::uint64_t> next(offsets.begin(), offsets.end() - 1);
  for (std::uint64_t r = 0; r < entries.size(); ++r) {
    if (entries[r].node != IdTable::kAbsent) order[next[entries[r].node]++] = r;
  }
  constexpr std::size_t kNodesPerPiece = 4096;
  context.for_each_range(num_nodes, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      std::sort(order.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                order.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]),
                [&](std::uint64_t a, std::uint64_t b) {
                  return std::pair(entries[a].feature, a) < std::pair(entries[b].feature, b);
                });
    }
  });
  return order;
}

/// Reports pairs that occur twice, in the order of the file.
void check_repeats(const CsvFile& file, const std::vector<Entry>& entries,
                   const std::vector<std::uint64_t>& order, FaultList& faults) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> repeats;  // record, the one before it
  for (std::size_t k = 1; k < order.size(); ++k) {
    const Entry& previous = entries[order[k - 1]];
    const Entry& entry = entries[order[k]];
    if (previous.node == entry.node && previous.feature == entry.feature) {
      repeats.emplace_back(order[k], order[k - 1]);
    }
  }
  std::sort(repeats.begin(), repeats.end());
  for (const auto& [record, earlier] : repeats) {
    validation::add_fault(faults, "repeated feature", [&, r = record, e = earlier]() -> Fault {
      return {
          {.file = file.name(), .line = file.line_of_record(r)},
          fmt::format("the same node and feature are already on line {}", file.line_of_record(e)),
          "give each pair once"};
    });
  }
}

SparseMatrix matrix_of(std::size_t num_features, const std::vector<Entry>& entries,
                       const std::vector<std::uint64_t>& order,
                       const std::vector<std::uint64_t>& row_ends) {
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  offsets.reserve(row_ends.size());
  columns.reserve(order.size());
  values.reserve(order.size());
  for (std::size_t i = 0; i + 1 < row_ends.size(); ++i) {
    for (std::uint64_t k = row_ends[i]; k < row_ends[i + 1]; ++k) {
      const Entry& entry = entries[order[k]];
      if (entry.value == 0) continue;
      columns.push_back(entry.feature);
      values.push_back(entry.value);
    }
    offsets.push_back(columns.size());
  }
  return {num_features, std::move(offsets), std::move(columns), std::move(values)};
}

Entry read_entry(CsvRecords& record, const Columns& columns, const NodeTable& nodes,
                 IdTable& local_names) {
  const std::string_view id = record[columns.node];
  const std::optional<NodeIndex> node = nodes.ids.find(id);
  if (!node) report_unknown_id(record.faults(), record.place(columns.node), id, nodes);
  Entry entry{.node = node.value_or(IdTable::kAbsent),
              .value = validation::read_finite(record, columns.value, id)};
  if (const auto known = local_names.find(record[columns.feature])) {
    entry.feature = *known;
  } else if (validation::read_text(record, columns.feature)) {
    entry.feature = local_names.insert(record[columns.feature]).index;
  } else {
    entry.node = IdTable::kAbsent;
  }
  return entry;
}

}  // namespace

FeatureTable read_feature_list(const Source& source, const NodeTable& nodes,
                               const std::vector<std::string>* names) {
  FaultList& faults = source.faults;
  const auto file = source.open("features.csv");
  if (file == nullptr) return {};
  bool usable = true;
  for (const char* name : {"node", "feature", "value"}) {
    usable &=
        validation::check_column(*file, name, "the columns are node, feature and value", faults);
  }
  if (!usable) return {};
  const Columns columns{*file->column("node"), *file->column("feature"), *file->column("value")};

  std::vector<Entry> entries(file->num_records());
  std::vector<IdTable> local_names(file->chunks().size());
  const std::uint64_t num_faults_before = faults.total();
  file->for_each_chunk(
      source.context, "reading features", faults, [&](std::size_t number, CsvRecords& records) {
        while (records.next()) {
          entries[records.record()] = read_entry(records, columns, nodes, local_names[number]);
        }
      });
  IdTable all_names;
  if (names != nullptr) {
    for (const std::string& name : *names) all_names.insert(name);
  }
  number_features(*file, local_names, entries, all_names);
  if (names != nullptr) {
    for (std::size_t k = names->size(); k < all_names.size(); ++k) {
      validation::add_fault(faults, "feature name", [&]() -> Fault {
        return {{.file = file->name()},
                fmt::format("the feature '{}' is not in feature_names.csv",
                            printable(all_names[static_cast<NodeIndex>(k)])),
                "add it there or delete feature_names.csv"};
      });
    }
  }
  std::vector<std::uint64_t> offsets;
  const std::vector<std::uint64_t> order =
      order_by_node(source.context, nodes.ids.size(), entries, offsets);
  check_repeats(*file, entries, order, faults);
  if (faults.total() != num_faults_before) return {};

  FeatureTable table;
  table.matrix = matrix_of(all_names.size(), entries, order, offsets);
  for (std::size_t k = 0; k < all_names.size(); ++k) {
    table.names.emplace_back(all_names[static_cast<NodeIndex>(k)]);
  }
  return table;
}

}  // namespace cone::load

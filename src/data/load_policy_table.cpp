#include <atomic>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/load.hpp"
#include "data/validate.hpp"

namespace cone {
namespace {

constexpr std::uint64_t kNoRecord = static_cast<std::uint64_t>(-1);

/// Reports ids that stand on two lines and, where all lines could be read, nodes that stand on
/// none. `nodes` is one node per record.
void check_coverage(const CsvFile& file, const IdTable& ids, const std::vector<NodeIndex>& nodes,
                    bool all_read, FaultList& faults) {
  std::vector<std::uint64_t> record_of(ids.size(), kNoRecord);
  for (std::uint64_t record = 0; record < nodes.size(); ++record) {
    if (nodes[record] == IdTable::kAbsent) continue;
    std::uint64_t& first = record_of[nodes[record]];
    if (first == kNoRecord) {
      first = record;
      continue;
    }
    validation::add_fault(faults, "duplicate id", [&]() -> Fault {
      return {{.file = file.name(),
               .line = file.line_of_record(record),
               .column = "id",
               .item = printable(ids[nodes[record]])},
              fmt::format("the id is already on line {}", file.line_of_record(first)),
              "every node has one line"};
    });
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (record_of[i] != kNoRecord || !all_read) continue;
    validation::add_fault(faults, "node without a row", [&]() -> Fault {
      return {{.file = file.name(), .item = printable(ids[static_cast<NodeIndex>(i)])},
              "the node has no row",
              "a policy needs a probability for every node"};
    });
  }
}

}  // namespace

PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const IdTable& ids, const CsvOptions& options,
                              const IdTable& left_out) {
  return load_policy_table(context, path.string(), ByteSource::of_file(context, path), ids, options,
                           left_out);
}

PolicyTable load_policy_table(const Context& context, const std::string& name, ByteSource bytes,
                              const IdTable& ids, const CsvOptions& options,
                              const IdTable& left_out) {
  FaultList faults;
  const auto file = CsvFile::read(context, name, std::move(bytes), options, faults);
  if (file == nullptr) faults.throw_if_any(ErrorCode::kData);
  if (!validation::check_column(
          *file, "id", "it says which node a row is about, and is called id in a file of policies",
          faults)) {
    faults.throw_if_any(ErrorCode::kData);
  }
  const std::size_t id_column = *file->column("id");
  std::vector<std::size_t> columns;
  PolicyTable table;
  for (std::size_t j = 0; j < file->header().size(); ++j) {
    if (j == id_column || file->header()[j].empty()) continue;
    columns.push_back(j);
    table.names.push_back(file->header()[j]);
    table.probabilities.emplace_back(ids.size(), 0.0);
  }
  if (columns.empty()) {
    faults.add("policy", {{.file = file->name(), .line = 1},
                          "there is no policy column",
                          "add one column of probabilities per policy beside id"});
  }
  validation::check_has_records(*file, "node", faults);

  // Probabilities by record first: two threads may meet the same node when an id is repeated.
  std::vector<NodeIndex> nodes(file->num_records(), IdTable::kAbsent);
  std::vector<double> by_record(file->num_records() * columns.size());
  std::atomic<bool> all_read = true;
  file->for_each_chunk(context, "reading policies", faults, [&](std::size_t, CsvRecords& records) {
    while (records.next()) {
      const std::string_view id = records[id_column];
      const std::optional<NodeIndex> node = ids.find(id);
      if (node) {
        nodes[records.record()] = *node;
      } else if (!left_out.find(id)) {
        validation::add_fault(records.faults(), "unknown id", [&]() -> Fault {
          return {records.place(id_column),
                  fmt::format("'{}' is not a node of the data", printable(id)),
                  "delete the line or add the node to the data"};
        });
      }
      for (std::size_t k = 0; k < columns.size(); ++k) {
        by_record[records.record() * columns.size() + k] =
            validation::read_probability(records, columns[k], id);
      }
    }
    if (records.num_malformed() > 0) all_read = false;
  });
  check_coverage(*file, ids, nodes, all_read, faults);
  faults.throw_if_any(ErrorCode::kData);

  for (std::uint64_t record = 0; record < nodes.size(); ++record) {
    if (nodes[record] == IdTable::kAbsent) continue;  // a line that was left out
    for (std::size_t k = 0; k < columns.size(); ++k) {
      table.probabilities[k][nodes[record]] = by_record[record * columns.size() + k];
    }
  }
  return table;
}

}  // namespace cone

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cone/load.hpp"
#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/policy_row.hpp"
#include "data/validate.hpp"

namespace cone {
namespace {

constexpr std::uint64_t kNoRecord = static_cast<std::uint64_t>(-1);

/// Reports ids that occur on two lines and, where all lines could be read, nodes that occur on
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
              "give every node one line"};
    });
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (record_of[i] != kNoRecord || !all_read) continue;
    validation::add_fault(faults, "node without a row", [&]() -> Fault {
      return {{.file = file.name(), .item = printable(ids[static_cast<NodeIndex>(i)])},
              "the node has no row",
              "give every node a row with its probabilities or label"};
    });
  }
}

}  // namespace

PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const Dataset& data, const CsvOptions& options) {
  return load_policy_table(context, path.string(), ByteSource::of_file(path), data, options);
}

PolicyTable load_policy_table(const Context& context, const std::string& name, ByteSource bytes,
                              const Dataset& data, const CsvOptions& options) {
  FaultList faults;
  const auto file = CsvFile::read(context, name, std::move(bytes), options, faults);
  if (file == nullptr) faults.throw_if_any(ErrorCode::kData);
  if (!validation::check_column(
          *file, "id", "a policy file needs a column id that identifies the node of each row",
          faults)) {
    faults.throw_if_any(ErrorCode::kData);
  }
  const std::size_t id_column = *file->column("id");
  const std::vector<load::PolicyColumns> policies =
      load::find_policies(context, *file, id_column, data.arms, faults);
  if (policies.empty()) {
    faults.add("policy", {{.file = file->name(), .line = 1},
                          "there is no policy column",
                          "add a column of probabilities or labels per policy"});
  }
  validation::check_has_records(*file, "node", faults);

  // Probabilities by record first: two threads may read the same node when an id is repeated.
  const std::size_t num_arms = data.num_arms();
  const std::size_t width = policies.size() * num_arms;
  std::vector<NodeIndex> nodes(file->num_records(), IdTable::kAbsent);
  Matrix<double> by_record(file->num_records(), width);
  std::atomic<bool> all_read = true;
  file->for_each_chunk(context, "reading policies", faults, [&](std::size_t, CsvRecords& records) {
    load::PolicyRow reader(data.arms);
    while (records.next()) {
      const std::string_view id = records[id_column];
      const std::optional<NodeIndex> node = data.ids.find(id);
      if (node) {
        nodes[records.record()] = *node;
      } else if (!data.left_out.find(id)) {
        validation::add_fault(records.faults(), "unknown id", [&]() -> Fault {
          return {records.place(id_column),
                  fmt::format("'{}' is not a node of the data", printable(id)),
                  "delete the line or add the node to the data"};
        });
      }
      const std::span<double> row = by_record.row(records.record());
      for (std::size_t k = 0; k < policies.size(); ++k) {
        reader.read(records, id, policies[k], row.subspan(k * num_arms, num_arms));
      }
    }
    if (records.num_malformed() > 0) all_read = false;
  });
  check_coverage(*file, data.ids, nodes, all_read, faults);
  faults.throw_if_any(ErrorCode::kData);

  PolicyTable table;
  for (const load::PolicyColumns& policy : policies) {
    table.names.push_back(policy.name);
    table.learnt_from.push_back(policy.learnt_from);
    table.probabilities.emplace_back(data.num_nodes(), num_arms);
  }
  for (std::uint64_t record = 0; record < nodes.size(); ++record) {
    if (nodes[record] == IdTable::kAbsent) continue;  // a line that was left out
    for (std::size_t k = 0; k < policies.size(); ++k) {
      const auto row = by_record.row(record).subspan(k * num_arms, num_arms);
      std::copy(row.begin(), row.end(), table.probabilities[k].row(nodes[record]).begin());
    }
  }
  return table;
}

}  // namespace cone

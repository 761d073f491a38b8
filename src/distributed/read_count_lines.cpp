#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

/// One line of features.csv: the count of a feature at a node.
struct CountEntry {
  std::uint64_t line;
  double value;
  std::uint32_t row;  ///< of the node, on its owner
  std::uint32_t feature;
};

/// Lines whose ids are looked up in one round: bounds the messages.
constexpr std::size_t kCountLinesAtATime = std::size_t{1} << 16;

using FeatureNumbers = std::unordered_map<std::string, std::uint32_t>;

/// Numbers the new feature names of all ranks, in the order of the file, the same on all ranks.
void join_names(const Communicator& comm, std::span<const std::string> names,
                FeatureNumbers& numbers) {
  std::string own;
  for (const std::string& name : names) own += name + '\n';
  for (std::string& name : gather_lines(comm, own)) {
    numbers.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers.size()));
  }
}

struct CountColumns {
  std::size_t node, feature, value;
};

struct CountText {
  TextList nodes;
  std::vector<CountEntry> entries;
};

void read_chunk(CsvRecords& record, const CountColumns& columns, FeatureNumbers& local,
                std::vector<std::string>& names, CountText& out) {
  while (record.next()) {
    const std::string_view id = record[columns.node];
    const double value = validation::read_finite(record, columns.value, id);
    if (!validation::read_text(record, columns.feature) ||
        !is_feature_name(record, columns.feature)) {
      continue;
    }
    const auto [found, is_new] = local.try_emplace(std::string(record[columns.feature]),
                                                   static_cast<std::uint32_t>(local.size()));
    if (is_new) names.push_back(found->first);
    out.nodes.add(id);
    out.entries.push_back({record.line(), value, 0, found->second});
  }
}

/// Joins the entries of all rounds; frees every round once it is copied.
std::vector<CountEntry> join_rounds(std::vector<std::vector<CountEntry>>& rounds) {
  std::size_t total = 0;
  for (const auto& round : rounds) total += round.size();
  std::vector<CountEntry> out;
  out.reserve(total);
  for (auto& round : rounds) {
    out.insert(out.end(), round.begin(), round.end());
    round = std::vector<CountEntry>();
  }
  return out;
}

void build_counts(const CsvFile& file, std::vector<CountEntry> entries, NodeRows& rows,
                  std::size_t num_counts, FaultList& faults) {
  std::ranges::sort(entries, [](const CountEntry& a, const CountEntry& b) {
    return std::tuple(a.row, a.feature, a.line) < std::tuple(b.row, b.feature, b.line);
  });
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  columns.reserve(entries.size());
  values.reserve(entries.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (; next < entries.size() && entries[next].row == i; ++next) {
      const CountEntry& entry = entries[next];
      if (next > 0 && entries[next - 1].row == i && entries[next - 1].feature == entry.feature) {
        validation::add_fault(faults, "repeated feature", [&]() -> Fault {
          return {{.file = file.name(), .line = entry.line},
                  fmt::format("the same node and feature are already on line {}",
                              entries[next - 1].line),
                  "give each pair once"};
        });
        continue;
      }
      if (entry.value == 0) continue;
      columns.push_back(entry.feature);
      values.push_back(entry.value);
    }
    offsets.push_back(columns.size());
  }
  if (!faults.empty()) return;
  rows.counts = SparseMatrix(num_counts, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace

void read_count_lines(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                      NodeRows& rows, GlobalData& global) {
  rows.counts =
      SparseMatrix(0, std::vector<std::uint64_t>(rows.size() + 1, 0), {}, std::vector<double>{});
  if (!reader.has("features.csv")) return;
  const Communicator& comm = reader.comm;
  FeatureNumbers numbers;
  const bool has_names = reader.has("feature_names.csv");
  if (has_names) {
    const auto names = read_count_names(reader);
    if (!names) return;
    for (const std::string& name : *names) {
      numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size()));
    }
  }
  const std::size_t num_named = numbers.size();
  const auto file = reader.open(reader.folder / "features.csv");
  if (file == nullptr) return;
  FaultList found;
  bool usable = true;
  for (const char* name : {"node", "feature", "value"}) {
    usable &=
        validation::check_column(*file, name, "the columns are node, feature and value", found);
  }
  if (comm.is_root()) reader.faults.merge(found);
  if (!usable) return;
  const CountColumns columns{*file->column("node"), *file->column("feature"),
                             *file->column("value")};
  FeatureNumbers local;
  std::vector<std::string> local_names;
  std::size_t num_sent = 0;
  std::vector<std::vector<CountEntry>> rounds;
  std::size_t chunk = 0;
  while (comm.any(chunk < file->chunks().size())) {
    CountText text;
    for (; chunk < file->chunks().size() && text.entries.size() < kCountLinesAtATime; ++chunk) {
      CsvRecords record(*file, file->chunks()[chunk]);
      read_chunk(record, columns, local, local_names, text);
      reader.faults.merge(record.faults());
      file->release(file->chunks()[chunk]);
    }
    // Feature names are few: every rank has those of a round before its counts are sent.
    join_names(comm, std::span(local_names).subspan(num_sent), numbers);
    num_sent = local_names.size();
    const std::vector<std::uint64_t> nodes = ids.find(text.nodes);
    std::vector<std::vector<CountEntry>> parts(comm.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      CountEntry entry = text.entries[k];
      if (nodes[k] == IdDirectory::kAbsent) {
        validation::add_fault(reader.faults, "unknown id in node", [&]() -> Fault {
          return {{.file = file->name(), .line = entry.line, .column = "node"},
                  fmt::format("'{}' is not an id of nodes.csv", printable(text.nodes[k])),
                  "add the node or delete the line"};
        });
        continue;
      }
      const std::size_t owner = blocks.owner_of(nodes[k]);
      entry.row = static_cast<std::uint32_t>(nodes[k] - blocks.first[owner]);
      entry.feature = numbers.at(local_names[entry.feature]);
      parts[owner].push_back(entry);
    }
    auto received = comm.alltoallv(std::move(parts));
    rounds.push_back(join_rounds(received));
  }
  if (has_names && numbers.size() > num_named && comm.is_root()) {
    reader.faults.add("feature name", {{.file = file->name()},
                                       "has features that are not in feature_names.csv",
                                       "add them there or delete feature_names.csv"});
  }
  std::vector<std::string>& names = global.feature_names;
  names.resize(global.num_numeric_features + numbers.size());
  for (const auto& [name, number] : numbers) names[global.num_numeric_features + number] = name;
  build_counts(*file, join_rounds(rounds), rows, numbers.size(), reader.faults);
}

}  // namespace cone::distributed

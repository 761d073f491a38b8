#include <algorithm>
#include <string>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/validate.hpp"
#include "distributed/read_share.hpp"

namespace cone::distributed {
namespace {

/// How often a word stands with a node.
struct WordEntry {
  std::uint64_t line;
  double value;
  std::uint32_t row;  ///< of the node, at its rank
  std::uint32_t word;
};

/// Lines whose ids are looked up at a time: bounds the letters that are on their way.
constexpr std::size_t kWordLinesAtATime = std::size_t{1} << 16;

using WordNumbers = std::unordered_map<std::string, std::uint32_t>;

/// Names that a rank met, in the order of the file, become numbers that all agree on.
void join_names(const Ranks& ranks, std::span<const std::string> met, WordNumbers& numbers) {
  std::string own;
  for (const std::string& name : met) own += name + '\n';
  for (std::string& name : gather_lines(ranks, own)) {
    numbers.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers.size()));
  }
}

struct WordColumns {
  std::size_t node, feature, value;
};

struct WordText {
  TextList nodes;
  std::vector<WordEntry> entries;
};

void read_chunk(CsvRecords& record, const WordColumns& columns, WordNumbers& local,
                std::vector<std::string>& met, WordText& out) {
  while (record.next()) {
    const std::string_view id = record[columns.node];
    const double value = validation::read_finite(record, columns.value, id);
    if (!validation::read_text(record, columns.feature) || !is_word_name(record, columns.feature)) {
      continue;
    }
    const auto [word, is_new] = local.try_emplace(std::string(record[columns.feature]),
                                                  static_cast<std::uint32_t>(local.size()));
    if (is_new) met.push_back(word->first);
    out.nodes.add(id);
    out.entries.push_back({record.line(), value, 0, word->second});
  }
}

/// The entries of all rounds in one list, which no moment holds twice.
std::vector<WordEntry> join_rounds(std::vector<std::vector<WordEntry>>& rounds) {
  std::size_t total = 0;
  for (const auto& round : rounds) total += round.size();
  std::vector<WordEntry> out;
  out.reserve(total);
  for (auto& round : rounds) {
    out.insert(out.end(), round.begin(), round.end());
    round = {};
  }
  return out;
}

void build_words(const CsvFile& file, std::vector<WordEntry> entries, NodeRows& rows,
                 std::size_t num_words, FaultList& faults) {
  std::ranges::sort(entries, [](const WordEntry& a, const WordEntry& b) {
    return std::tuple(a.row, a.word, a.line) < std::tuple(b.row, b.word, b.line);
  });
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  columns.reserve(entries.size());
  values.reserve(entries.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (; next < entries.size() && entries[next].row == i; ++next) {
      const WordEntry& entry = entries[next];
      if (next > 0 && entries[next - 1].row == i && entries[next - 1].word == entry.word) {
        validation::add_fault(faults, "repeated feature", [&]() -> Fault {
          return {{.file = file.name(), .line = entry.line},
                  fmt::format("the same node and feature stand on line {}", entries[next - 1].line),
                  "give each pair once"};
        });
        continue;
      }
      if (entry.value == 0) continue;
      columns.push_back(entry.word);
      values.push_back(entry.value);
    }
    offsets.push_back(columns.size());
  }
  if (!faults.empty()) return;
  rows.words = SparseMatrix(num_words, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace

void read_word_lines(const ShareReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, WholeData& whole) {
  rows.words =
      SparseMatrix(0, std::vector<std::uint64_t>(rows.size() + 1, 0), {}, std::vector<double>{});
  if (!reader.has("features.csv")) return;
  const Ranks& ranks = reader.ranks;
  WordNumbers numbers;
  const bool has_names = reader.has("feature_names.csv");
  if (has_names) {
    const auto names = read_word_names(reader);
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
  if (ranks.is_first()) reader.faults.merge(found);
  if (!usable) return;
  const WordColumns columns{*file->column("node"), *file->column("feature"),
                            *file->column("value")};
  WordNumbers local;
  std::vector<std::string> met;
  std::size_t num_told = 0;
  std::vector<std::vector<WordEntry>> rounds;
  std::size_t chunk = 0;
  while (ranks.any(chunk < file->chunks().size())) {
    WordText text;
    for (; chunk < file->chunks().size() && text.entries.size() < kWordLinesAtATime; ++chunk) {
      CsvRecords record(*file, file->chunks()[chunk]);
      read_chunk(record, columns, local, met, text);
      reader.faults.merge(record.faults());
      file->release(file->chunks()[chunk]);
    }
    // Names are few; those of a round are known to all before its words are sent.
    join_names(ranks, std::span(met).subspan(num_told), numbers);
    num_told = met.size();
    const std::vector<std::uint64_t> nodes = ids.find(text.nodes);
    std::vector<std::vector<WordEntry>> parts(ranks.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      WordEntry entry = text.entries[k];
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
      entry.word = numbers.at(met[entry.word]);
      parts[owner].push_back(entry);
    }
    auto received = ranks.exchange(std::move(parts));
    rounds.push_back(join_rounds(received));
  }
  if (has_names && numbers.size() > num_named && ranks.is_first()) {
    reader.faults.add("feature name", {{.file = file->name()},
                                       "has features that are not in feature_names.csv",
                                       "add them there or delete feature_names.csv"});
  }
  whole.num_words = numbers.size();
  whole.word_names.resize(numbers.size());
  for (const auto& [name, number] : numbers) whole.word_names[number] = name;
  build_words(*file, join_rounds(rounds), rows, whole.num_words, reader.faults);
}

}  // namespace cone::distributed

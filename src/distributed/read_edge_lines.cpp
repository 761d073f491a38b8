#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/load_parts.hpp"
#include "data/validate.hpp"
#include "distributed/read_share.hpp"

namespace cone::distributed {
namespace {

/// One direction of an edge, at the rank of its first end.
struct HalfEdge {
  std::uint64_t from, to;
  friend auto operator<=>(const HalfEdge&, const HalfEdge&) = default;
};

/// Edge lines whose ids are looked up at a time: bounds the letters that are on their way.
constexpr std::size_t kLinesAtATime = std::size_t{1} << 20;

struct EdgeText {
  TextList ends;
  std::vector<std::uint64_t> lines;
};

void report_unknown(const CsvFile& file, const std::array<std::size_t, 2>& columns,
                    const EdgeText& text, std::span<const std::uint64_t> numbers,
                    FaultList& faults) {
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] != IdDirectory::kAbsent) continue;
    validation::add_fault(faults, fmt::format("unknown id in end {}", k % 2), [&]() -> Fault {
      return {{.file = file.name(),
               .line = text.lines[k / 2],
               .column = printable(file.header()[columns[k % 2]])},
              fmt::format("'{}' is not an id of nodes.csv", printable(text.ends[k])),
              "add the node or delete the line"};
    });
  }
}

/// Looks the ids up and sends both directions of every edge to the ranks of their first ends.
void send_edges(const ShareReader& reader, const CsvFile& file, const IdDirectory& ids,
                const Blocks& blocks, const std::array<std::size_t, 2>& columns,
                const EdgeText& text, std::vector<HalfEdge>& half_edges, EdgeListReport& report) {
  const std::vector<std::uint64_t> numbers = ids.find(text.ends);
  report_unknown(file, columns, text, numbers, reader.faults);
  std::vector<std::vector<HalfEdge>> parts(reader.ranks.size());
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
    const auto [a, b] = std::pair(numbers[k], numbers[k + 1]);
    ++report.num_lines;
    if (a == b) ++report.num_self_loops;
    if (a == IdDirectory::kAbsent || b == IdDirectory::kAbsent || a == b) continue;
    parts[blocks.owner_of(a)].push_back({a, b});
    parts[blocks.owner_of(b)].push_back({b, a});
  }
  for (const std::vector<HalfEdge>& part : reader.ranks.exchange(parts)) {
    half_edges.insert(half_edges.end(), part.begin(), part.end());
  }
}

}  // namespace

void read_edge_lines(const ShareReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, WholeData& whole) {
  const Ranks& ranks = reader.ranks;
  std::vector<HalfEdge> half_edges;
  EdgeListReport report;
  const std::filesystem::path path = reader.options.edges.empty()
                                         ? reader.folder / "edges.csv"
                                         : std::filesystem::path(reader.options.edges);
  if (reader.options.edges.empty() && !reader.has("edges.csv")) {
    whole.notes.emplace_back("there is no edges.csv: the network has no edges");
  } else if (const auto file = reader.open(path)) {
    FaultList found;
    const auto columns = load::find_ends(*file, found);
    if (ranks.is_first()) reader.faults.merge(found);
    if (columns) {
      std::size_t chunk = 0;
      // Rounds, as ids are looked up by all ranks together.
      while (ranks.any(chunk < file->chunks().size())) {
        EdgeText text;
        for (; chunk < file->chunks().size() && text.lines.size() < kLinesAtATime; ++chunk) {
          CsvRecords record(*file, file->chunks()[chunk]);
          while (record.next()) {
            text.ends.add(record[(*columns)[0]]);
            text.ends.add(record[(*columns)[1]]);
            text.lines.push_back(record.line());
          }
          reader.faults.merge(record.faults());
        }
        send_edges(reader, *file, ids, blocks, *columns, text, half_edges, report);
      }
    }
  }
  std::ranges::sort(half_edges);
  const std::size_t before = half_edges.size();
  half_edges.erase(std::ranges::unique(half_edges).begin(), half_edges.end());
  report.num_merged = before - half_edges.size();
  rows.neighbours.reserve(half_edges.size());
  std::size_t next = 0;
  for (const std::uint64_t number : rows.number) {
    for (; next < half_edges.size() && half_edges[next].from == number; ++next) {
      rows.neighbours.push_back(half_edges[next].to);
    }
    rows.edge_offsets.push_back(rows.neighbours.size());
  }
  whole.edges.num_lines = ranks.add_up(report.num_lines);
  whole.edges.num_self_loops = ranks.add_up(report.num_self_loops);
  whole.edges.num_merged = ranks.add_up(report.num_merged) / 2;  // seen from both ends
  whole.edges.num_edges = ranks.add_up(std::uint64_t{rows.neighbours.size()}) / 2;
}

}  // namespace cone::distributed

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/load_parts.hpp"
#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

/// One direction of an edge, as sent to the owner of its first end.
struct HalfEdge {
  std::uint64_t from, to;
};

/// Edge lines whose ids are looked up in one round: bounds the messages, about 200 bytes per line.
constexpr std::size_t kEdgeLinesAtATime = std::size_t{1} << 16;

/// Received half edges of a round: 12 bytes each, in a separate list per round, which avoids
/// reallocation.
struct KeptEnds {
  std::vector<std::uint32_t> row;  ///< of the first end, on this rank
  std::vector<std::uint64_t> other;
};

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

/// Looks up the ids and sends both directions of every edge to the owners of their first ends.
void send_edges(const RankReader& reader, const CsvFile& file, const IdDirectory& ids,
                const Blocks& blocks, const std::array<std::size_t, 2>& columns,
                const EdgeText& text, std::vector<KeptEnds>& rounds, EdgeListReport& report) {
  const std::vector<std::uint64_t> numbers = ids.find(text.ends);
  report_unknown(file, columns, text, numbers, reader.faults);
  std::vector<std::vector<HalfEdge>> parts(reader.comm.size());
  for (std::size_t k = 0; k + 1 < numbers.size(); k += 2) {
    const auto [a, b] = std::pair(numbers[k], numbers[k + 1]);
    ++report.num_lines;
    if (a == b) ++report.num_self_loops;
    if (a == IdDirectory::kAbsent || b == IdDirectory::kAbsent || a == b) continue;
    parts[blocks.owner_of(a)].push_back({a, b});
    parts[blocks.owner_of(b)].push_back({b, a});
  }
  KeptEnds& kept = rounds.emplace_back();
  const std::uint64_t begin = blocks.begin(reader.comm);
  for (const std::vector<HalfEdge>& part : reader.comm.alltoallv(std::move(parts))) {
    for (const HalfEdge& half : part) {
      kept.row.push_back(static_cast<std::uint32_t>(half.from - begin));
      kept.other.push_back(half.to);
    }
  }
  kept.row.shrink_to_fit();
  kept.other.shrink_to_fit();
}

/// Sorts the half edges into their rows without duplicates; returns their number with duplicates.
std::uint64_t list_neighbours_of_rows(std::vector<KeptEnds>& rounds, NodeRows& rows) {
  std::vector<std::uint64_t> next(rows.size() + 1, 0);
  for (const KeptEnds& kept : rounds) {
    for (const std::uint32_t row : kept.row) ++next[row + 1];
  }
  std::inclusive_scan(next.begin(), next.end(), next.begin());
  const std::uint64_t total = next.back();
  std::vector<std::uint64_t> begins(next.begin(), next.end());
  rows.neighbours.resize(total);
  for (KeptEnds& kept : rounds) {
    for (std::size_t k = 0; k < kept.row.size(); ++k) {
      rows.neighbours[next[kept.row[k]]++] = kept.other[k];
    }
    kept = {};
  }
  auto out = rows.neighbours.begin();
  rows.edge_offsets.reserve(rows.size() + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::span own = std::span(rows.neighbours).subspan(begins[i], begins[i + 1] - begins[i]);
    std::ranges::sort(own);
    out = std::ranges::unique_copy(own, out).out;
    rows.edge_offsets.push_back(static_cast<std::uint64_t>(out - rows.neighbours.begin()));
  }
  rows.neighbours.erase(out, rows.neighbours.end());
  rows.neighbours.shrink_to_fit();  // there may have been many duplicates
  return total;
}

}  // namespace

void read_edge_lines(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, GlobalData& global) {
  const Communicator& comm = reader.comm;
  std::vector<KeptEnds> rounds;
  EdgeListReport report;
  const std::filesystem::path path = reader.options.edges.empty()
                                         ? reader.folder / "edges.csv"
                                         : std::filesystem::path(reader.options.edges);
  if (reader.options.edges.empty() && !reader.has("edges.csv")) {
    global.notes.emplace_back("there is no edges.csv: the network has no edges");
  } else if (const auto file = reader.open(path)) {
    FaultList found;
    const auto columns = load::find_ends(*file, found);
    if (comm.is_root()) reader.faults.merge(found);
    if (columns) {
      std::size_t chunk = 0;
      // In rounds, as the lookup of ids is collective.
      while (comm.any(chunk < file->chunks().size())) {
        EdgeText text;
        for (; chunk < file->chunks().size() && text.lines.size() < kEdgeLinesAtATime; ++chunk) {
          CsvRecords record(*file, file->chunks()[chunk]);
          while (record.next()) {
            text.ends.add(record[(*columns)[0]]);
            text.ends.add(record[(*columns)[1]]);
            text.lines.push_back(record.line());
          }
          reader.faults.merge(record.faults());
          file->release(file->chunks()[chunk]);
        }
        send_edges(reader, *file, ids, blocks, *columns, text, rounds, report);
      }
    }
  }
  const std::uint64_t num_half_edges = list_neighbours_of_rows(rounds, rows);
  report.num_merged = num_half_edges - rows.neighbours.size();
  global.edges.num_lines = comm.allreduce(report.num_lines);
  global.edges.num_self_loops = comm.allreduce(report.num_self_loops);
  global.edges.num_merged = comm.allreduce(report.num_merged) / 2;  // counted at both ends
  global.edges.num_edges = comm.allreduce(std::uint64_t{rows.neighbours.size()}) / 2;
}

}  // namespace cone::distributed

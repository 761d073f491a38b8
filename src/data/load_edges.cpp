#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/load_parts.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

/// The edges of a chunk, or of the file, with an end that is not a node.
struct UnknownEnds {
  std::uint64_t num_edges = 0;
  std::uint64_t first_line = 0;
  std::size_t first_end = 0;
  IdTable ids;

  void add(std::size_t end, std::string_view id, std::uint64_t line) {
    if (ids.size() == 0) {
      first_line = line;
      first_end = end;
    }
    ids.insert(id);
  }
  void append(const UnknownEnds& later) {
    for (std::size_t k = 0; k < later.ids.size(); ++k) {
      add(later.first_end, later.ids[static_cast<NodeIndex>(k)], later.first_line);
    }
    num_edges += later.num_edges;
  }
};

/// The ends of a few edges, looked up together so that their cache misses overlap.
class EdgeBatch {
 public:
  static constexpr std::size_t kLines = 128;

  void add(std::string_view source, std::string_view target, std::uint64_t record,
           std::uint64_t line) {
    ends_[2 * size_] = source;
    ends_[2 * size_ + 1] = target;
    records_[size_] = record;
    lines_[size_] = line;
    ++size_;
  }
  bool is_full() const { return size_ == kLines; }

  /// Writes the edges and empties the batch.
  void flush(const IdTable& ids, Edge* edges, UnknownEnds& unknown) {
    ids.find_all(std::span(ends_).first(2 * size_), std::span(nodes_).first(2 * size_));
    for (std::size_t k = 0; k < size_; ++k) {
      edges[records_[k]] = {nodes_[2 * k], nodes_[2 * k + 1]};
      bool is_known = true;
      for (const std::size_t end : {0, 1}) {
        if (nodes_[2 * k + end] != IdTable::kAbsent) continue;
        unknown.add(end, ends_[2 * k + end], lines_[k]);
        is_known = false;
      }
      unknown.num_edges += is_known ? 0 : 1;
    }
    size_ = 0;
  }

 private:
  std::size_t size_ = 0;
  std::array<std::string_view, 2 * kLines> ends_;
  std::array<NodeIndex, 2 * kLines> nodes_;
  std::array<std::uint64_t, kLines> records_;
  std::array<std::uint64_t, kLines> lines_;
};

/// Usual names of the two ends of an edge.
constexpr std::array<std::array<std::string_view, 2>, 13> kEndNames = {{{"source", "target"},
                                                                        {"from", "to"},
                                                                        {"src", "dst"},
                                                                        {"node1", "node2"},
                                                                        {"node_1", "node_2"},
                                                                        {"id1", "id2"},
                                                                        {"id_1", "id_2"},
                                                                        {"ego", "alter"},
                                                                        {"sender", "receiver"},
                                                                        {"v1", "v2"},
                                                                        {"i", "j"},
                                                                        {"u", "v"},
                                                                        {"a", "b"}}};

std::optional<std::size_t> find_in_any_case(const CsvFile& file, std::string_view name) {
  for (std::size_t j = 0; j < file.header().size(); ++j) {
    if (lower_case(file.header()[j]) == name) return j;
  }
  return std::nullopt;
}

/// Names the columns that are not used.
void note_other_columns(const CsvFile& file, const std::array<std::size_t, 2>& ends,
                        std::vector<std::string>& notes) {
  std::string others;
  bool has_weight = false;
  for (std::size_t j = 0; j < file.header().size(); ++j) {
    if (j == ends[0] || j == ends[1] || file.header()[j].empty()) continue;
    has_weight = has_weight || lower_case(file.header()[j]) == "weight";
    others += (others.empty() ? "" : ", ") + printable(file.header()[j]);
  }
  if (others.empty()) return;
  notes.push_back(fmt::format("{}: unused columns: {}{}", printable(file.name(), 200),
                              printable(others, 200), has_weight ? " (edges are unweighted)" : ""));
}

/// Programs that store ids as floating-point numbers, because some are missing, write 17 as 17.0.
std::string advise_on_id(std::string_view id, const NodeTable& nodes, const char* otherwise) {
  constexpr std::string_view kFraction = ".0";
  const bool has_it = id.ends_with(kFraction);
  const std::string other = has_it ? std::string(id.substr(0, id.size() - kFraction.size()))
                                   : std::string(id) + std::string(kFraction);
  if (!nodes.ids.find(other)) return otherwise;
  return fmt::format(
      "'{}' is an id: ids are compared as text, so write whole numbers without .0 in both files "
      "(in pandas: astype(\"Int64\"))",
      printable(other));
}

/// "3 edges to 2 ids that are not in nodes.csv ('x', 'y')"
std::string describe(const UnknownEnds& unknown, const NodeTable& nodes) {
  constexpr std::size_t kShown = 3;
  std::string examples;
  for (std::size_t k = 0; k < std::min(unknown.ids.size(), kShown); ++k) {
    examples +=
        fmt::format("{}'{}'", k > 0 ? ", " : "", printable(unknown.ids[static_cast<NodeIndex>(k)]));
  }
  return fmt::format(
      "{} to {} not in {} ({}{})", counted(unknown.num_edges, "edge"),
      unknown.ids.size() == 1 ? "an id that is" : counted(unknown.ids.size(), "id") + " that are",
      printable(nodes.title), examples, unknown.ids.size() > kShown ? ", ..." : "");
}

/// Drops the edges with an end that is not a node, or refuses them.
void settle_unknown(const Source& source, const CsvFile& file,
                    const std::array<std::size_t, 2>& columns, const NodeTable& nodes,
                    const UnknownEnds& unknown, EdgeLines& lines) {
  if (unknown.num_edges == 0 || nodes.ids.size() == 0) return;  // everything would be unknown
  // An edge list of other nodes is a mistake, whatever the option says.
  const bool has_none_left = unknown.num_edges == lines.size && source.faults.empty();
  if (source.options.unknown_edges == UnknownEdges::kRefuse || has_none_left) {
    source.faults.add(
        "unknown id",
        {{.file = file.name(),
          .line = unknown.first_line,
          .column = printable(file.header()[columns[unknown.first_end]])},
         describe(unknown, nodes),
         advise_on_id(unknown.ids[0], nodes,
                      has_none_left
                          ? "no edge remains: give the edges of these nodes, or leave the file out"
                          : "add the nodes, or drop these edges with --unknown-edges drop")});
    return;
  }
  if (!source.faults.empty()) return;  // malformed lines have no edge
  source.notes.push_back(
      fmt::format("dropped {}, of {} in total", describe(unknown, nodes), grouped(lines.size)));
  const auto end = std::remove_if(lines.edges.get(), lines.edges.get() + lines.size, [](Edge edge) {
    return edge.source == IdTable::kAbsent || edge.target == IdTable::kAbsent;
  });
  lines.size = static_cast<std::size_t>(end - lines.edges.get());
}

}  // namespace

std::optional<std::array<std::size_t, 2>> find_ends(const CsvFile& file, FaultList& faults) {
  for (const auto& [first, second] : kEndNames) {
    const auto source = find_in_any_case(file, first);
    const auto target = find_in_any_case(file, second);
    if (source && target) return std::array{*source, *target};
  }
  faults.add("column", {{.file = file.name(), .line = 1},
                        "there are no columns source and target",
                        "name the ends of an edge source and target, from and to, src and dst, ego "
                        "and alter, or node1 and node2"});
  return std::nullopt;
}

void report_unknown_id(FaultList& faults, Place place, std::string_view id,
                       const NodeTable& nodes) {
  if (nodes.ids.size() == 0) return;  // everything would be unknown
  validation::add_fault(faults, "unknown id in " + place.column, [&]() -> Fault {
    return {std::move(place),
            fmt::format("'{}' is not an id of {}", printable(id), printable(nodes.title)),
            advise_on_id(id, nodes, "add the node or delete the line")};
  });
}

EdgeLines read_edges(const Source& source, const NodeTable& nodes) {
  FaultList& faults = source.faults;
  if (!source.files.has("edges.csv")) {
    source.notes.push_back("there is no edges.csv: the network has no edges");
    return {};
  }
  const auto file = source.open("edges.csv");
  if (file == nullptr) return {};
  const auto ends = find_ends(*file, faults);
  if (!ends) return {};
  note_other_columns(*file, *ends, source.notes);

  EdgeLines out{std::make_unique_for_overwrite<Edge[]>(file->num_records()), file->num_records()};
  const std::array<std::size_t, 2>& columns = *ends;
  std::vector<UnknownEnds> by_chunk(file->chunks().size());
  file->for_each_chunk(
      source.context, "reading edges", faults, [&](std::size_t number, CsvRecords& records) {
        UnknownEnds& unknown = by_chunk[number];
        EdgeBatch batch;
        while (records.next()) {
          batch.add(records[columns[0]], records[columns[1]], records.record(), records.line());
          if (batch.is_full()) batch.flush(nodes.ids, out.edges.get(), unknown);
        }
        batch.flush(nodes.ids, out.edges.get(), unknown);
      });
  UnknownEnds unknown;
  for (const UnknownEnds& of_chunk : by_chunk) unknown.append(of_chunk);
  settle_unknown(source, *file, columns, nodes, unknown, out);
  return out;
}

}  // namespace cone::load

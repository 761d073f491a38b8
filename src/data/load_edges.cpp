#include <array>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "cone/base/text.hpp"

#include "data/load_parts.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

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

  /// Writes the edges and empties the batch; calls report(end, id, line) for an unknown end.
  template <class Report>
  void flush(const IdTable& ids, Edge* edges, const Report& report) {
    ids.find_all(std::span(ends_).first(2 * size_), std::span(nodes_).first(2 * size_));
    for (std::size_t k = 0; k < size_; ++k) {
      edges[records_[k]] = {nodes_[2 * k], nodes_[2 * k + 1]};
      for (const std::size_t end : {0, 1}) {
        if (nodes_[2 * k + end] == IdTable::kAbsent) report(end, ends_[2 * k + end], lines_[k]);
      }
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

void check_columns(const CsvFile& file, FaultList& faults) {
  for (const std::string& name : file.header()) {
    if (name == "source" || name == "target") continue;
    const bool is_weight = name == "weight";
    faults.add("column", {{.file = file.name(), .line = 1, .column = printable(name)},
                          is_weight ? "edge weights are not supported" : "unexpected column",
                          is_weight ? "drop the column: every edge counts the same"
                                    : "edges.csv has the columns source and target only; drop it"});
  }
}

}  // namespace

void report_unknown_id(FaultList& faults, Place place, std::string_view id,
                       const NodeTable& nodes) {
  if (nodes.ids.size() == 0) return;  // everything would be unknown
  validation::add_fault(faults, "unknown id in " + place.column, [&]() -> Fault {
    return {std::move(place), fmt::format("'{}' is not an id of nodes.csv", printable(id)),
            "add the node or delete the line"};
  });
}

EdgeLines read_edges(const Source& source, const std::filesystem::path& path,
                     const NodeTable& nodes) {
  FaultList& faults = source.faults;
  std::error_code failure;
  if (!std::filesystem::exists(path, failure) && !failure) {
    faults.add("file", {{.file = path.string()},
                        "the folder has no edges.csv",
                        "add one with the columns source and target; for a network without edges "
                        "the header line alone is enough"});
    return {};
  }
  const auto file = CsvFile::open(source.context, path, source.options, faults);
  if (file == nullptr) return {};
  const bool has_source =
      validation::check_column(*file, "source", "it holds the id of one end of each edge", faults);
  const bool has_target =
      validation::check_column(*file, "target", "it holds the id of the other end", faults);
  check_columns(*file, faults);
  if (!has_source || !has_target) return {};

  EdgeLines out{std::make_unique_for_overwrite<Edge[]>(file->num_records()), file->num_records()};
  const std::array<std::size_t, 2> columns = {*file->column("source"), *file->column("target")};
  file->for_each_chunk(
      source.context, "reading edges", faults, [&](std::size_t, CsvRecords& records) {
        const auto report = [&](std::size_t end, std::string_view id, std::uint64_t line) {
          report_unknown_id(
              records.faults(),
              {.file = file->name(), .line = line, .column = file->header()[columns[end]]}, id,
              nodes);
        };
        EdgeBatch batch;
        while (records.next()) {
          batch.add(records[columns[0]], records[columns[1]], records.record(), records.line());
          if (batch.is_full()) batch.flush(nodes.ids, out.edges.get(), report);
        }
        batch.flush(nodes.ids, out.edges.get(), report);
      });
  return out;
}

}  // namespace cone::load

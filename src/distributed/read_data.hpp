#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/load.hpp"

#include "data/csv.hpp"
#include "distributed/id_directory.hpp"
#include "distributed/node_rows.hpp"
#include "distributed/phase_meter.hpp"

namespace cone::distributed {

/// The nodes of a rank and what all ranks know.
struct ReadData {
  NodeRows rows;
  GlobalData global;
};

/// Reads a dataset's folder: each rank reads its part of the bytes of every file. The rank that
/// reads a node's line owns the node; edges, counts and policies are sent to the owners of their
/// nodes. No rank has all data. Features must be numbers: text features, missing values and
/// compressed tables are refused with advice. All ranks throw the same error with the faults of all
/// ranks. Collective.
ReadData read_on_ranks(const Context& context, const Communicator& comm,
                       const std::filesystem::path& folder, const LoadOptions& options,
                       std::span<const std::string> policies, PhaseMeter& meter);

/// Common arguments of the readers below, which are collective.
struct RankReader {
  const Context& context;
  const Communicator& comm;
  std::filesystem::path folder;
  const LoadOptions& options;
  FaultList& faults;

  /// This rank's part of the lines, with the line numbers of the complete file; null, and faults,
  /// where the file cannot be read in parts. Collective.
  std::unique_ptr<CsvFile> open(const std::filesystem::path& path) const;
  bool has(const char* name) const;
};

TextList read_node_lines(const RankReader& reader, NodeRows& rows, GlobalData& global);
void read_edge_lines(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, GlobalData& global);
void read_count_lines(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                      NodeRows& rows, GlobalData& global);
/// Whether the field can be a feature name; a fault where it has a line end, as names are sent one
/// per line.
bool is_feature_name(CsvRecords& record, std::size_t column);
/// All names, in the order of feature_names.csv, on every rank: count features are far fewer than
/// nodes. Nothing, and faults, where they cannot be read.
std::optional<std::vector<std::string>> read_count_names(const RankReader& reader);
/// The lines of all ranks in rank order; every line of `own` ends with a line feed.
std::vector<std::string> gather_lines(const Communicator& comm, const std::string& own);
void read_count_matrix(const RankReader& reader, const Blocks& blocks, NodeRows& rows,
                       GlobalData& global);
void read_policies(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                   std::span<const std::string> policies, NodeRows& rows, GlobalData& global);

}  // namespace cone::distributed

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
#include "distributed/blocks.hpp"
#include "distributed/id_directory.hpp"
#include "distributed/node_rows.hpp"
#include "distributed/phase_meter.hpp"
#include "distributed/ranks.hpp"

namespace cone::distributed {

/// The nodes of a rank and what all know of them.
struct ReadData {
  NodeRows rows;
  WholeData whole;
};

/// Reads a dataset's folder together: each rank its share of the bytes of every file. Nodes stay
/// with the rank that read their line; edges, words and policies go to the ranks of their nodes. No
/// rank sees the whole. Features are numbers; texts, gaps and packed tables are refused
/// with a word on what to do. Faults of all ranks are thrown together, the same on all of them.
ReadData read_together(const Context& context, const Ranks& ranks,
                       const std::filesystem::path& folder, const LoadOptions& options,
                       std::span<const std::string> policies, PhaseMeter& meter);

/// What the parts of the reading share.
struct ShareReader {
  const Context& context;
  const Ranks& ranks;
  std::filesystem::path folder;
  const LoadOptions& options;
  FaultList& faults;

  /// This rank's share of the lines; lines are counted as in the whole file. Nothing, and faults,
  /// where the file cannot be read so. Called by all ranks.
  std::unique_ptr<CsvFile> open(const std::filesystem::path& path) const;
  bool has(const char* name) const;
};

TextList read_node_lines(const ShareReader& reader, NodeRows& rows, WholeData& whole);
void read_edge_lines(const ShareReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, WholeData& whole);
void read_word_lines(const ShareReader& reader, const IdDirectory& ids, const Blocks& blocks,
                     NodeRows& rows, WholeData& whole);
/// Whether the field can be a name: names travel one per line. A fault where it cannot.
bool is_word_name(CsvRecords& record, std::size_t column);
/// All names, in the order of feature_names.csv. Every rank has them: words are far fewer than
/// nodes. Nothing, and faults, where they cannot be read.
std::optional<std::vector<std::string>> read_word_names(const ShareReader& reader);
/// Of every rank its lines, each ended by a line feed, one after the other.
std::vector<std::string> gather_lines(const Ranks& ranks, const std::string& own);
void read_word_matrix(const ShareReader& reader, const Blocks& blocks, NodeRows& rows,
                      WholeData& whole);
void read_policies(const ShareReader& reader, const IdDirectory& ids, const Blocks& blocks,
                   std::span<const std::string> policies, NodeRows& rows, WholeData& whole);

}  // namespace cone::distributed

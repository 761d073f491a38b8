#include "distributed/read_data.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "cone/load.hpp"
#include "cone/text.hpp"

#include "data/collective_error.hpp"

namespace cone::distributed {
namespace {

void refuse_repeats(const Communicator& comm, const IdDirectory& ids, const std::string& file,
                    FaultList& faults) {
  std::vector<IdDirectory::Repeat> repeats = ids.repeats();
  std::ranges::sort(repeats, {}, &IdDirectory::Repeat::second);
  for (const IdDirectory::Repeat& repeat : repeats) {
    const auto [first, second] = std::minmax(repeat.first, repeat.second);
    faults.add("duplicate id", {{.file = file, .line = second + 2, .item = printable(repeat.id)},
                                fmt::format("the id is already on line {}", first + 2),
                                "give every node one line"});
  }
  throw_if_any(comm, faults, ErrorCode::kData);
}

/// Row numbers have 32 bits. (Ghosts are checked when they are known.)
void refuse_too_many(const Communicator& comm, std::uint64_t num_own) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  const std::uint64_t most = comm.allreduce_max(num_own);
  if (most <= kMost) return;
  FaultList faults;
  if (comm.is_root()) {
    faults.add("ranks", {{},
                         fmt::format("one rank would have {} nodes, more than {}", grouped(most),
                                     grouped(kMost)),
                         "use more ranks"});
  }
  throw_if_any(comm, faults, ErrorCode::kData);
}

/// Refuses options that only the reader of one process supports.
void refuse_options(const LoadOptions& options, FaultList& faults) {
  const auto refuse = [&](const char* flag, bool is_given) {
    if (!is_given) return;
    faults.add(
        "option",
        {{.item = flag}, "is not supported with --reading sharded", "leave out one of them"});
  };
  refuse("--weight", !options.weight.empty());
  refuse("--cluster", !options.cluster.empty());
  refuse("--categories", !options.categories.empty());
  refuse("--counts", !options.counts.empty());
  refuse("--missing", options.missing != MissingPolicy::kRefuse);
  refuse("--unknown-edges", options.unknown_edges != UnknownEdges::kRefuse);
}

/// Compressed files are not read, and must not be taken for missing files.
void refuse_compressed(const RankReader& reader) {
  for (const char* name : {"nodes.csv", "edges.csv", "features.csv", "feature_names.csv"}) {
    const std::string packed = std::string(name) + ".gz";
    if (!reader.has(packed.c_str())) continue;
    reader.faults.add("packed", {{.file = (reader.folder / packed).string()},
                                 "is compressed, which --reading sharded does not read",
                                 "decompress it, or delete it if it is a copy"});
  }
}

}  // namespace

bool RankReader::has(const char* name) const { return std::filesystem::exists(folder / name); }

std::unique_ptr<CsvFile> RankReader::open(const std::filesystem::path& path) const {
  std::unique_ptr<CsvFile> file;
  FaultList found;
  try {
    file = CsvFile::read_share(context, path.string(), ByteSource::of_file(path), options.csv,
                               comm.rank(), comm.size(), found);
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) found.add("file", fault);
  }
  // All ranks find a fault of the whole file: the root reports it.
  if (comm.is_root()) faults.merge(found);
  if (comm.any(file == nullptr)) return nullptr;
  if (comm.any(comm.exclusive_scan(file->num_quotes()) % 2 != 0)) {
    if (comm.is_root()) {
      faults.add("quotes",
                 {{.file = path.string()},
                  "a quoted field has a line end where the file is split between ranks, or a quote "
                  "is never closed",
                  "write fields without line ends, or leave out --reading sharded"});
    }
    return nullptr;
  }
  file->count_from(comm.exclusive_scan(file->num_records()),
                   comm.exclusive_scan(file->num_lines()));
  return file;
}

ReadData read_on_ranks(const Context& context, const Communicator& comm,
                       const std::filesystem::path& folder, const LoadOptions& options,
                       std::span<const std::string> policies, PhaseMeter& meter) {
  FaultList faults;
  const RankReader reader{context, comm, folder, options, faults};
  if (comm.is_root()) {
    refuse_options(options, faults);
    if (!std::filesystem::is_directory(folder)) {
      faults.add("folder", {{.file = folder.string()},
                            "is not a folder, and --reading sharded reads only folders",
                            "put nodes.csv, edges.csv and features.csv into one folder"});
    } else if (!reader.has("nodes.csv") && !reader.has("nodes.csv.gz")) {
      faults.add("folder", {{.file = (folder / "nodes.csv").string()},
                            "does not exist",
                            "a dataset is a folder with nodes.csv"});
    } else if (reader.has("features.npz") && reader.has("features.csv")) {
      faults.add("folder", {{.file = (folder / "features.csv").string()},
                            "the folder has both features.npz and features.csv",
                            "keep one of them"});
    }
    refuse_compressed(reader);
  }
  throw_if_any(comm, faults, ErrorCode::kData);
  ReadData out;
  TextList ids = read_node_lines(reader, out.rows, out.global);
  throw_if_any(comm, faults, ErrorCode::kData);
  refuse_too_many(comm, out.rows.size());
  meter.finish("nodes");
  const Blocks blocks = Blocks::make(comm, out.rows.size());
  const IdDirectory directory(comm, ids, blocks.begin(comm));
  ids = {};  // the directory has them now
  refuse_repeats(comm, directory, (folder / "nodes.csv").string(), faults);
  meter.finish("ids");
  read_edge_lines(reader, directory, blocks, out.rows, out.global);
  meter.finish("edges");
  if (reader.has("features.npz")) {
    read_count_matrix(reader, blocks, out.rows, out.global);
  } else {
    read_count_lines(reader, directory, blocks, out.rows, out.global);
  }
  meter.finish("counts");
  read_policies(reader, directory, blocks, policies, out.rows, out.global);
  meter.finish("policies");
  throw_if_any(comm, faults, ErrorCode::kData);
  return out;
}

}  // namespace cone::distributed

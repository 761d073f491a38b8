#include <algorithm>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/load_parts.hpp"
#include "data/npz.hpp"
#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

/// This rank's rows; nothing, and faults, where they cannot be read. Where all ranks fail, the
/// fault is one of the whole file and the root reports it.
std::optional<CsrRows> read_own_rows(const RankReader& reader, const Blocks& blocks,
                                     const std::filesystem::path& path) {
  const Communicator& comm = reader.comm;
  std::optional<CsrRows> out;
  FaultList found;
  try {
    out = read_csr_npz_rows(path, blocks.begin(comm), blocks.first[comm.rank() + 1]);
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) found.add("features", fault);
  }
  const std::uint64_t num_failed = comm.allreduce(std::uint64_t{out ? 0U : 1U});
  if (num_failed < comm.size() || comm.is_root()) reader.faults.merge(found);
  return num_failed > 0 ? std::nullopt : std::move(out);
}

}  // namespace

std::vector<std::string> gather_lines(const Communicator& comm, const std::string& own) {
  std::vector<std::string> out;
  for (const std::string& part : comm.allgather(own)) {
    for (std::size_t begin = 0; begin < part.size();) {
      const std::size_t end = part.find('\n', begin);
      out.push_back(part.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return out;
}

bool is_feature_name(CsvRecords& record, std::size_t column) {
  if (record[column].find('\n') == std::string_view::npos) return true;
  validation::add_fault(record.faults(), "line end in a name", [&]() -> Fault {
    return {record.place(column), "the name of the feature has a line end", "rename it"};
  });
  return false;
}

std::optional<std::vector<std::string>> read_count_names(const RankReader& reader) {
  const auto file = reader.open(reader.folder / "feature_names.csv");
  if (file == nullptr) return std::nullopt;
  const auto column = file->column("feature");
  if (!column) {
    if (reader.comm.is_root()) {
      validation::check_column(*file, "feature", "give one name per line", reader.faults);
    }
    return std::nullopt;
  }
  std::string own;
  for (const CsvChunk& chunk : file->chunks()) {
    CsvRecords record(*file, chunk);
    while (record.next()) {
      if (is_feature_name(record, *column)) own += std::string(record[*column]) + '\n';
    }
    reader.faults.merge(record.faults());
  }
  return gather_lines(reader.comm, own);
}

void read_count_matrix(const RankReader& reader, const Blocks& blocks, NodeRows& rows,
                       GlobalData& global) {
  const Communicator& comm = reader.comm;
  const std::filesystem::path path = reader.folder / "features.npz";
  std::optional<CsrRows> read = read_own_rows(reader, blocks, path);
  if (!read) return;
  const auto refuse = [&](std::string what, std::string advice) {
    if (!comm.is_root()) return;
    reader.faults.add("features", {{.file = path.string()}, std::move(what), std::move(advice)});
  };
  if (read->num_rows != global.num_nodes) {
    refuse(fmt::format("{} rows, but nodes.csv has {}", read->num_rows, global.num_nodes),
           "give one row per node, in the order of nodes.csv");
    return;
  }
  const std::size_t num_counts = read->rows.cols();
  if (reader.has("feature_names.csv")) {
    auto names = read_count_names(reader);
    if (!names) return;
    if (names->size() != num_counts) {
      refuse(
          fmt::format("{} columns, but feature_names.csv has {} names", num_counts, names->size()),
          "give one name per column, in order");
    }
    std::ranges::move(*names, std::back_inserter(global.feature_names));
  } else {
    for (std::size_t k = 0; k < num_counts; ++k) {
      global.feature_names.push_back(fmt::format("f{}", k));
    }
  }
  rows.counts = load::without_zeros(std::move(read->rows));
}

}  // namespace cone::distributed

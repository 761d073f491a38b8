#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "data/load_parts.hpp"
#include "data/npz.hpp"
#include "distributed/read_share.hpp"

namespace cone::distributed {
namespace {

/// This rank's rows, or nothing, and faults. What is wrong with the whole file all ranks see: then
/// the first speaks for all.
std::optional<CsrRows> read_own_rows(const ShareReader& reader, const Blocks& blocks,
                                     const std::filesystem::path& path) {
  const Ranks& ranks = reader.ranks;
  std::optional<CsrRows> out;
  FaultList found;
  try {
    out = read_csr_npz_rows(path, blocks.begin(ranks), blocks.first[ranks.rank() + 1]);
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) found.add("features", fault);
  }
  const std::uint64_t num_failed = ranks.allreduce(std::uint64_t{out ? 0U : 1U});
  if (num_failed < ranks.size() || ranks.is_first()) reader.faults.merge(found);
  return num_failed > 0 ? std::nullopt : std::move(out);
}

}  // namespace

void read_word_matrix(const ShareReader& reader, const Blocks& blocks, NodeRows& rows,
                      WholeData& whole) {
  const Ranks& ranks = reader.ranks;
  const std::filesystem::path path = reader.folder / "features.npz";
  std::optional<CsrRows> read = read_own_rows(reader, blocks, path);
  if (!read) return;
  const auto refuse = [&](std::string what, std::string advice) {
    if (!ranks.is_first()) return;
    reader.faults.add("features", {{.file = path.string()}, std::move(what), std::move(advice)});
  };
  if (read->num_rows != whole.num_nodes) {
    refuse(fmt::format("{} rows where nodes.csv has {}", read->num_rows, whole.num_nodes),
           "it needs one row per node, in the order of nodes.csv");
    return;
  }
  whole.num_words = read->rows.cols();
  if (reader.has("feature_names.csv")) {
    auto names = read_word_names(reader);
    if (!names) return;
    if (names->size() != whole.num_words) {
      refuse(fmt::format("{} columns where feature_names.csv has {} names", whole.num_words,
                         names->size()),
             "give one name per column, in order");
    }
    whole.word_names = std::move(*names);
  } else {
    for (std::size_t k = 0; k < whole.num_words; ++k) {
      whole.word_names.push_back(fmt::format("f{}", k));
    }
  }
  rows.words = load::without_zeros(std::move(read->rows));
}

}  // namespace cone::distributed

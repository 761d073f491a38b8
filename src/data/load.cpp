#include "cone/data/load.hpp"

#include <system_error>
#include <utility>

#include "cone/data/mat_file.hpp"

#include "data/load_parts.hpp"

namespace cone {
namespace {

LoadedData load_folder(const Context& context, const std::filesystem::path& folder,
                       const CsvOptions& options) {
  FaultList faults;
  const load::Source source{context, options, faults};
  load::NodeTable nodes = load::read_nodes(source, folder / "nodes.csv");
  const load::EdgeLines lines = load::read_edges(source, folder / "edges.csv", nodes);
  FeatureTable sparse = load::read_sparse_features(source, folder, nodes);
  faults.throw_if_any(ErrorCode::kData);

  LoadedData data;
  Dataset& observed = data.observed;
  observed.features =
      load::join_columns(std::move(nodes.dense), std::move(sparse), nodes.ids.size());
  observed.ids = std::move(nodes.ids);
  observed.treatment = std::move(nodes.treatment);
  observed.outcome = std::move(nodes.outcome);
  observed.propensity = std::move(nodes.propensity);
  observed.mu0 = std::move(nodes.mu0);
  observed.mu1 = std::move(nodes.mu1);
  observed.graph = build_graph(context, observed.num_nodes(),
                               std::span<const Edge>(lines.edges.get(), lines.size), &data.edges);
  if (nodes.y0 && nodes.y1) data.truth.emplace(std::move(*nodes.y0), std::move(*nodes.y1));
  return data;
}

}  // namespace

LoadedData load_dataset(const Context& context, const std::filesystem::path& path,
                        const CsvOptions& options) {
  if (path.extension() == ".mat") return load_mat(context, path);
  std::error_code ignored;  // what cannot be looked at is not there
  if (!std::filesystem::is_directory(path, ignored)) {
    Fault fault;
    fault.place.file = path.string();
    fault.what = std::filesystem::exists(path, ignored) ? "is not a folder" : "does not exist";
    fault.advice = "give a folder with nodes.csv and edges.csv, or a .mat file";
    throw Error(ErrorCode::kData, std::move(fault));
  }
  return load_folder(context, path, options);
}

}  // namespace cone

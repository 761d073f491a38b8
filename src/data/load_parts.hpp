#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cone/base/error.hpp"
#include "cone/base/sparse_matrix.hpp"
#include "cone/data/csv.hpp"
#include "cone/data/dataset.hpp"
#include "cone/exec/context.hpp"

/// The files of a dataset folder, one loader each. They collect faults and return what they could
/// read; load_dataset throws before anything incomplete is used.
namespace cone::load {

/// What every loader needs.
struct Source {
  const Context& context;
  const CsvOptions& options;
  FaultList& faults;
};

struct NodeTable {
  IdTable ids;
  /// False when some line has no usable id: then the number of nodes is not known.
  bool has_all_ids = false;
  std::vector<std::uint8_t> treatment;
  std::vector<double> outcome;
  std::optional<std::vector<double>> propensity, mu0, mu1, y0, y1;
  FeatureTable dense;
};

NodeTable read_nodes(const Source& source, const std::filesystem::path& path);

/// The lines of an edge list as pairs of nodes.
struct EdgeLines {
  std::unique_ptr<Edge[]> edges;  // not a vector: the threads that fill it should touch it first
  std::size_t size = 0;
};

EdgeLines read_edges(const Source& source, const std::filesystem::path& path,
                     const NodeTable& nodes);

/// The sparse features of the folder; an empty table when it has none.
FeatureTable read_sparse_features(const Source& source, const std::filesystem::path& folder,
                                  const NodeTable& nodes);

/// features.csv, its columns in the order of `names` where given.
FeatureTable read_feature_list(const Source& source, const std::filesystem::path& path,
                               const NodeTable& nodes, const std::vector<std::string>* names);

/// Appends the columns of `right`; either may have no columns.
FeatureTable join_columns(FeatureTable left, FeatureTable right, std::size_t num_rows);

/// Reports an id that is not in nodes.csv, unless nodes.csv has no ids at all.
void report_unknown_id(FaultList& faults, Place place, std::string_view id, const NodeTable& nodes);

}  // namespace cone::load

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/load.hpp"

#include "data/csv.hpp"
#include "data/given_columns.hpp"

/// The files of a dataset, one loader each. They collect faults and return what they could read;
/// load_dataset throws before anything incomplete is used.
namespace cone::load {

/// What every loader needs.
struct Source {
  const Context& context;
  const DataFiles& files;
  const LoadOptions& options;
  FaultList& faults;
  std::vector<std::string>& notes;

  /// nullptr, and a fault, when the file cannot be read.
  std::unique_ptr<CsvFile> open(std::string_view name) const;
};

struct NodeTable {
  std::string title;  ///< the name of the table in messages
  IdTable ids;
  /// False when some line has no usable id: then the number of nodes is not known.
  bool has_all_ids = false;
  std::vector<std::string> arms = {"0", "1"};  ///< labels, the control arm first
  std::vector<Arm> treatment;
  std::vector<double> outcome;
  std::vector<double> weight;          ///< empty where not given
  std::vector<std::uint32_t> cluster;  ///< likewise
  std::vector<GivenColumn> given;
  std::vector<NamedColumn> kept;
  /// The feature columns. A missing value that the mean will replace is NaN until it is known which
  /// lines are kept.
  FeatureTable features;
  std::vector<TableColumn> columns;
  std::vector<std::uint8_t> is_left_out;  ///< one per line; empty where every line is kept
};

NodeTable read_nodes(const Source& source);

/// Drops explicit zeros, so that the same content gives the same matrix in every format.
SparseMatrix without_zeros(SparseMatrix matrix);

/// The lines of an edge list as pairs of nodes.
struct EdgeLines {
  std::unique_ptr<Edge[]> edges;  // not a vector: the threads that fill it should touch it first
  std::size_t size = 0;
};

/// The columns of the two ends of an edge; a fault where no usual pair of names is found.
std::optional<std::array<std::size_t, 2>> find_ends(const CsvFile& file, FaultList& faults);

/// No lines where there is no edges.csv.
EdgeLines read_edges(const Source& source, const NodeTable& nodes);

/// The sparse features; an empty table when there are none.
FeatureTable read_sparse_features(const Source& source, const NodeTable& nodes);

/// features.csv, its columns in the order of `names` where given.
FeatureTable read_feature_list(const Source& source, const NodeTable& nodes,
                               const std::vector<std::string>* names);

/// Appends the columns of `right`; either may have no columns. While a dataset is being assembled
/// all its columns are sparse.
FeatureTable join_columns(FeatureTable left, FeatureTable right);

/// Removes the lines that are left out from all columns of `nodes`, `features` and the edges.
/// Returns their ids.
IdTable leave_out_lines(NodeTable& nodes, FeatureTable& features, EdgeLines& edges);

/// Replaces each NaN by the mean of the other values of its column.
void fill_in_means(FeatureTable& features);

/// Refuses weights that are all zero. `table` is empty for arrays.
void check_weights(const std::string& table, const std::string& column,
                   std::span<const double> weight, FaultList& faults);

/// Numbers from 0 in the order of first appearance.
void number_clusters(std::vector<std::uint32_t>& cluster);

/// Refuses a single cluster: its variance cannot be estimated from one observation.
void check_clusters(const std::string& table, const std::string& column,
                    std::span<const std::uint32_t> cluster, FaultList& faults);

/// Reports an id that is not in nodes.csv, unless nodes.csv has no ids at all.
void report_unknown_id(FaultList& faults, Place place, std::string_view id, const NodeTable& nodes);

}  // namespace cone::load

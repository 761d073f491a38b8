#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/load_parts.hpp"
#include "data/npz.hpp"
#include "data/validate.hpp"

namespace cone::load {
namespace {

/// feature_names.csv: one name per line, all different.
std::optional<std::vector<std::string>> read_feature_names(const Source& source) {
  const auto file = source.open("feature_names.csv");
  if (file == nullptr ||
      !validation::check_column(*file, "feature", "give one name per line", source.faults)) {
    return std::nullopt;
  }
  const std::size_t column = *file->column("feature");
  std::vector<std::string> names;
  FaultList found;
  IdTable seen;
  for (const CsvChunk& chunk : file->chunks()) {
    CsvRecords records(*file, chunk);
    while (records.next()) {
      if (!validation::read_text(records, column)) continue;
      if (!seen.insert(records[column]).inserted) {
        validation::add_fault(records.faults(), "duplicate name", [&]() -> Fault {
          return {records.place(column),
                  fmt::format("the name '{}' is repeated", printable(records[column])),
                  "give every feature its own name"};
        });
      }
      names.emplace_back(records[column]);
    }
    found.merge(records.faults());
  }
  source.faults.merge(found);
  if (!found.empty()) return std::nullopt;
  return names;
}

FeatureTable read_feature_matrix(const Source& source, const NodeTable& nodes,
                                 std::vector<std::string> names, bool has_names) {
  FeatureTable table;
  const std::filesystem::path path = source.files.title("features.npz");
  try {
    table.matrix = without_zeros(read_csr_npz(path));
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) source.faults.add("features", fault);
    return {};
  }
  const SparseMatrix& matrix = table.matrix.sparse();
  const auto refuse = [&](std::string what, std::string advice) {
    source.faults.add("features", {{.file = path.string()}, std::move(what), std::move(advice)});
  };
  if (nodes.has_all_ids && matrix.rows() != nodes.treatment.size()) {
    refuse(fmt::format("{} rows, but nodes.csv has {}", matrix.rows(), nodes.treatment.size()),
           "give one row per node, in the order of nodes.csv");
  }
  if (has_names && names.size() != matrix.cols()) {
    refuse(
        fmt::format("{} columns, but feature_names.csv has {} names", matrix.cols(), names.size()),
        "give one name per column, in order");
  }
  if (!has_names) {
    for (std::size_t j = 0; j < matrix.cols(); ++j) names.push_back(fmt::format("f{}", j));
  }
  table.names = std::move(names);
  return table;
}

void check_names_differ(const Source& source, const NodeTable& nodes, const FeatureTable& sparse) {
  const std::unordered_set<std::string_view> dense(nodes.features.names.begin(),
                                                   nodes.features.names.end());
  for (const std::string& name : sparse.names) {
    if (dense.count(name) == 0) continue;
    validation::add_fault(source.faults, "feature name", [&]() -> Fault {
      return {{.file = source.files.title("nodes.csv")},
              fmt::format("the feature '{}' is in nodes.csv and among the sparse features",
                          printable(name)),
              "rename one of them (feature_names.csv names the columns of features.npz)"};
    });
  }
}

}  // namespace

SparseMatrix without_zeros(SparseMatrix matrix) {
  const auto all = matrix.values();
  if (std::find(all.begin(), all.end(), 0.0) == all.end()) return matrix;
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    const SparseMatrix::Row row = matrix.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (row.values[k] == 0) continue;
      columns.push_back(row.columns[k]);
      values.push_back(row.values[k]);
    }
    offsets.push_back(columns.size());
  }
  return {matrix.cols(), std::move(offsets), std::move(columns), std::move(values)};
}

FeatureTable read_sparse_features(const Source& source, const NodeTable& nodes) {
  const bool has_matrix = source.files.has("features.npz");
  const bool has_list = source.files.has("features.csv");
  const bool has_names = source.files.has("feature_names.csv");
  if (has_matrix && has_list) {
    source.faults.add("features", {{.file = source.files.title("features.csv")},
                                   "the folder has both features.npz and features.csv",
                                   "keep one of them"});
    return {};
  }
  if (has_names && !has_matrix && !has_list) {
    source.faults.add("features", {{.file = source.files.title("feature_names.csv")},
                                   "there is no features.npz or features.csv",
                                   "add the features or delete the names"});
    return {};
  }
  if (!has_matrix && !has_list) return {};
  std::optional<std::vector<std::string>> names;
  if (has_names) {
    names = read_feature_names(source);
    if (!names) return {};
  }
  FeatureTable table =
      has_matrix ? read_feature_matrix(source, nodes, names.value_or(std::vector<std::string>{}),
                                       has_names)
                 : read_feature_list(source, nodes, names ? &*names : nullptr);
  check_names_differ(source, nodes, table);
  return table;
}

FeatureTable join_columns(FeatureTable left, FeatureTable right) {
  if (right.names.empty()) return left;
  if (left.names.empty()) return right;
  left.matrix = left.matrix.append_columns(right.matrix.sparse());
  left.names.insert(left.names.end(), std::make_move_iterator(right.names.begin()),
                    std::make_move_iterator(right.names.end()));
  return left;
}

}  // namespace cone::load

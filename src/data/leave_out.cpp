#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "data/load_parts.hpp"

namespace cone::load {
namespace {

template <class T>
void keep(std::vector<T>& values, const std::vector<std::uint32_t>& kept) {
  if (values.empty()) return;
  for (std::size_t k = 0; k < kept.size(); ++k) values[k] = values[kept[k]];  // kept ascends
  values.resize(kept.size());
}

}  // namespace

IdTable leave_out_lines(NodeTable& nodes, FeatureTable& features, EdgeLines& edges) {
  if (nodes.is_left_out.empty()) return {};
  const std::size_t num_lines = nodes.is_left_out.size();
  std::vector<std::uint32_t> kept;
  std::vector<NodeIndex> new_index(num_lines, IdTable::kAbsent);
  IdTable ids;
  IdTable left_out;
  for (std::uint32_t i = 0; i < num_lines; ++i) {
    if (nodes.is_left_out[i] != 0) {
      left_out.insert(nodes.ids[i]);
      continue;
    }
    new_index[i] = static_cast<NodeIndex>(kept.size());
    kept.push_back(i);
    ids.insert(nodes.ids[i]);
  }
  nodes.ids = std::move(ids);
  keep(nodes.treatment, kept);
  keep(nodes.outcome, kept);
  keep(nodes.weight, kept);
  keep(nodes.cluster, kept);
  for (GivenColumn& column : nodes.given) keep(column.values, kept);
  for (NamedColumn& column : nodes.kept) keep(column.values, kept);
  features.matrix = features.matrix.select_rows(kept);
  std::size_t num_edges = 0;
  for (std::size_t k = 0; k < edges.size; ++k) {
    const Edge edge{new_index[edges.edges[k].source], new_index[edges.edges[k].target]};
    if (edge.source == IdTable::kAbsent || edge.target == IdTable::kAbsent) continue;
    edges.edges[num_edges++] = edge;
  }
  edges.size = num_edges;
  nodes.is_left_out.clear();
  return left_out;
}

void fill_in_means(FeatureTable& features) {
  const SparseMatrix& matrix = features.matrix.sparse();
  std::vector<std::uint64_t> num_missing(matrix.cols(), 0);
  bool any = false;
  for (std::size_t k = 0; k < matrix.num_entries(); ++k) {
    if (!std::isnan(matrix.values()[k])) continue;
    ++num_missing[matrix.columns()[k]];
    any = true;
  }
  if (!any) return;
  // In the order of the lines, so that the last digit depends on nothing else.
  std::vector<CompensatedSum> sums(matrix.cols());
  for (std::size_t k = 0; k < matrix.num_entries(); ++k) {
    const std::uint32_t column = matrix.columns()[k];
    if (num_missing[column] == 0 || std::isnan(matrix.values()[k])) continue;
    sums[column].add(matrix.values()[k]);
  }
  std::vector<double> values(matrix.values().begin(), matrix.values().end());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isnan(values[k])) continue;
    const std::uint32_t column = matrix.columns()[k];
    const auto num_known = static_cast<double>(matrix.rows() - num_missing[column]);
    values[k] = num_known == 0 ? 0 : sums[column].value() / num_known;
  }
  features.matrix = SparseMatrix(
      matrix.cols(), std::vector<std::uint64_t>(matrix.offsets().begin(), matrix.offsets().end()),
      std::vector<std::uint32_t>(matrix.columns().begin(), matrix.columns().end()),
      std::move(values));
}

}  // namespace cone::load

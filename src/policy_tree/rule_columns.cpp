#include "policy_tree/rule_columns.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cone {

RuleColumns::RuleColumns(const Dataset& data, std::span<const std::string> kinds)
    : data_(data), by_feature_(data.features.matrix.sparse().transposed()) {
  const auto wants = [&](ColumnKind kind) {
    return kinds.empty() || std::find(kinds.begin(), kinds.end(), enum_name(kind)) != kinds.end();
  };
  const auto num_features = static_cast<std::uint32_t>(data.features.matrix.cols());
  const bool has_edges = data.graph.num_edges() > 0;
  for (const ColumnKind kind :
       {ColumnKind::kOwn, ColumnKind::kDegree, ColumnKind::kNeighbourMeans}) {
    if (!wants(kind) || (kind != ColumnKind::kOwn && !has_edges)) continue;
    const std::uint32_t count = kind == ColumnKind::kDegree ? 1 : num_features;
    for (std::uint32_t feature = 0; feature < count; ++feature) columns_.push_back({kind, feature});
  }
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    largest_degree_ = std::max(largest_degree_, data.graph.degree(static_cast<NodeIndex>(i)));
  }
}

std::string RuleColumns::name(std::size_t column) const {
  const Column& of = columns_[column];
  if (of.kind == ColumnKind::kDegree) return "degree";
  const std::string& feature = data_.features.names[of.feature];
  return of.kind == ColumnKind::kOwn ? feature : fmt::format("neighbours' mean {}", feature);
}

void RuleColumns::fill(std::size_t column, std::span<double> values) const {
  const Column& of = columns_[column];
  if (of.kind == ColumnKind::kOwn) return fill_own(of.feature, values);
  if (of.kind == ColumnKind::kNeighbourMeans) return fill_means(of.feature, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(data_.graph.degree(static_cast<NodeIndex>(i)));
  }
}

void RuleColumns::fill_own(std::uint32_t feature, std::span<double> values) const {
  const FeatureMatrix& matrix = data_.features.matrix;
  const auto dense = matrix.dense_columns();
  const auto found = std::lower_bound(dense.begin(), dense.end(), feature);
  if (found != dense.end() && *found == feature) {
    const auto d = static_cast<std::size_t>(found - dense.begin());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = matrix.dense()(i, d);
    return;
  }
  std::fill(values.begin(), values.end(), 0.0);
  const SparseMatrix::Row entries = by_feature_.row(feature);
  for (std::size_t k = 0; k < entries.size(); ++k) values[entries.columns[k]] = entries.values[k];
}

void RuleColumns::fill_means(std::uint32_t feature, std::span<double> values) const {
  fill_own(feature, values);
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return;
  constexpr int kSumExponent = 62;
  int exponent = 0;
  std::frexp(largest, &exponent);
  const int shift =
      kSumExponent - exponent -
      static_cast<int>(std::ceil(std::log2(static_cast<double>(largest_degree_) + 1)));
  std::vector<std::int64_t> sums(values.size(), 0);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] == 0) continue;
    const std::int64_t scaled = std::llround(std::ldexp(values[j], shift));
    for (const NodeIndex i : data_.graph.neighbours(static_cast<NodeIndex>(j))) sums[i] += scaled;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto degree = static_cast<double>(data_.graph.degree(static_cast<NodeIndex>(i)));
    values[i] = sums[i] == 0 ? 0 : std::ldexp(static_cast<double>(sums[i]) / degree, -shift);
  }
}

Matrix<double> fill_columns(const RuleColumns& columns, std::span<const std::size_t> chosen,
                            std::size_t num_nodes) {
  Matrix<double> out(num_nodes, chosen.size());
  std::vector<double> values(num_nodes);
  for (std::size_t c = 0; c < chosen.size(); ++c) {
    columns.fill(chosen[c], values);
    for (std::size_t i = 0; i < num_nodes; ++i) out(i, c) = values[i];
  }
  return out;
}

}  // namespace cone

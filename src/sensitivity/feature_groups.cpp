#include "sensitivity/feature_groups.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "cone/matrix.hpp"

namespace cone {
namespace {

/// Means and mean squares of the numeric features over all nodes and per arm.
struct ColumnMeans {
  Matrix<double> of_arm;  ///< (arms + 1) × columns, the last row over all nodes
  std::vector<double> squares;
};

ColumnMeans measure_means(const Dataset& data) {
  const std::size_t num_arms = data.num_arms();
  const std::size_t width = data.features.num_dense;
  ColumnMeans out{Matrix<double>(num_arms + 1, width), std::vector<double>(width, 0.0)};
  const std::vector<std::size_t> sizes = data.arm_sizes();
  const auto n = static_cast<double>(data.num_nodes());
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const Arm t = data.treatment[i];
    const auto size = static_cast<double>(sizes[t]);
    data.features.matrix.row(i).for_each([&](std::uint32_t column, double value) {
      if (column >= width) return;
      out.of_arm(t, column) += value / size;
      out.of_arm(num_arms, column) += value / n;
      out.squares[column] += value / n * value;
    });
  }
  return out;
}

/// The largest difference of an arm from all nodes in standard deviations; below 0 where the column
/// does not vary.
double measure_imbalance(const ColumnMeans& means, std::uint32_t column) {
  const std::size_t all = means.of_arm.rows() - 1;
  const double centre = means.of_arm(all, column);
  const double variance = means.squares[column] - centre * centre;
  if (!(variance > 1e-12 * means.squares[column])) return -1;
  double largest = 0;
  for (std::size_t a = 0; a < all; ++a) {
    largest = std::max(largest, std::abs(means.of_arm(a, column) - centre) / std::sqrt(variance));
  }
  return largest;
}

}  // namespace

std::vector<FeatureGroup> list_feature_groups(const LoadedData& data) {
  const FeatureTable& features = data.observed.features;
  std::vector<FeatureGroup> groups;
  for (const TableColumn& column : data.columns) {
    if (column.num_features == 0 || column.first_feature >= features.num_dense) continue;
    FeatureGroup& group = groups.emplace_back();
    group.name = column.name;
    group.columns.resize(column.num_features);
    std::iota(group.columns.begin(), group.columns.end(),
              static_cast<std::uint32_t>(column.first_feature));
  }
  if (groups.empty()) {
    for (std::uint32_t j = 0; j < features.num_dense; ++j) {
      groups.push_back({.name = features.names[j], .columns = {j}});
    }
  }
  const ColumnMeans means = measure_means(data.observed);
  for (FeatureGroup& group : groups) {
    group.imbalance = -1;
    for (const std::uint32_t column : group.columns) {
      group.imbalance = std::max(group.imbalance, measure_imbalance(means, column));
    }
  }
  std::erase_if(groups, [](const FeatureGroup& group) { return group.imbalance < 0; });
  if (features.num_counts() > 0) {
    FeatureGroup& counts = groups.emplace_back();
    counts.name = "counts";
    counts.columns.resize(features.num_counts());
    std::iota(counts.columns.begin(), counts.columns.end(),
              static_cast<std::uint32_t>(features.num_dense));
  }
  return groups;
}

Dataset leave_out(const Dataset& data, const FeatureGroup& group) {
  std::vector<double> factor(data.features.matrix.cols(), 1.0);
  for (const std::uint32_t column : group.columns) factor[column] = 0;
  Dataset out = data;
  out.features.matrix = data.features.matrix.scale_columns(factor);
  return out;
}

Dataset leave_out_network(const Dataset& data) {
  Dataset out = data;
  const std::size_t n = data.num_nodes();
  if (!data.distributed) {
    out.graph = Graph(std::vector<std::uint64_t>(n + 1, 0), {});
    return out;
  }
  DistributedRows rows = *data.distributed;
  rows.num_edges = 0;
  rows.number.resize(n);
  rows.remote.clear();
  rows.lists = std::make_shared<const NeighbourLists>(
      NeighbourLists{.offsets = std::vector<std::uint64_t>(n + 1, 0),
                     .arm_offsets = std::vector<std::uint64_t>(n * data.num_arms() + 1, 0)});
  rows.ghosts = rows.comm->connect_ghosts({.num_owned = n});
  out.distributed = std::make_shared<const DistributedRows>(std::move(rows));
  return out;
}

}  // namespace cone

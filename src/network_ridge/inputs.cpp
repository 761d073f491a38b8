#include "network_ridge/inputs.hpp"

#include <algorithm>
#include <cmath>

#include "base/numeric.hpp"
#include "data/column_copies.hpp"
#include "network_ridge/curve_features.hpp"
#include "network_ridge/smooth_features.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodesPerPiece = 4096;

void order_by_arm(const Dataset& data, RidgeInputs& out) {
  const std::size_t n = data.num_nodes();
  out.arm_begin.assign(data.num_arms() + 1, 0);
  for (const Arm arm : data.treatment) ++out.arm_begin[arm + 1];
  for (std::size_t a = 0; a < data.num_arms(); ++a) out.arm_begin[a + 1] += out.arm_begin[a];
  std::vector<std::size_t> next(out.arm_begin.begin(), out.arm_begin.end() - 1);
  out.node_at.resize(n);
  out.position_of.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t position = next[data.treatment[i]]++;
    out.node_at[position] = static_cast<NodeIndex>(i);
    out.position_of[i] = static_cast<std::uint32_t>(position);
  }
}

Graph reorder_graph(const Context& context, const Graph& graph, const RidgeInputs& order) {
  const std::size_t n = graph.num_nodes();
  std::vector<std::uint64_t> offsets(n + 1, 0);
  for (std::size_t p = 0; p < n; ++p) offsets[p + 1] = offsets[p] + graph.degree(order.node_at[p]);
  std::vector<NodeIndex> neighbours(offsets.back());
  context.for_each_range(n, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      auto out = neighbours.begin() + static_cast<std::ptrdiff_t>(offsets[p]);
      const auto first = out;
      for (const NodeIndex j : graph.neighbours(order.node_at[p])) *out++ = order.position_of[j];
      std::sort(first, out);
    }
  });
  return {std::move(offsets), std::move(neighbours)};
}

/// Where the positions of each arm start in every ascending list of positions.
std::vector<std::uint64_t> split_lists(std::span<const std::uint64_t> offsets,
                                       std::span<const std::uint32_t> positions,
                                       std::span<const std::size_t> arm_begin) {
  const std::size_t arms = arm_begin.size() - 1;
  std::vector<std::uint64_t> split;
  split.reserve((offsets.size() - 1) * arms + 1);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    const auto end = positions.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]);
    auto at = positions.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
    for (std::size_t a = 0; a < arms; ++a) {
      at = std::lower_bound(at, end, static_cast<std::uint32_t>(arm_begin[a]));
      split.push_back(static_cast<std::uint64_t>(at - positions.begin()));
    }
  }
  split.push_back(offsets.back());
  return split;
}

/// Square roots of the counts in rows of unit length: the information of a count grows less than
/// proportionally, and the row's total carries none.
SparseMatrix scale_counts(const FeatureTable& features, std::span<const NodeIndex> node_at) {
  const auto first_count = static_cast<std::uint32_t>(features.num_dense);
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  for (const NodeIndex node : node_at) {
    const std::size_t begin = values.size();
    double squares = 0;
    features.matrix.row(node).for_each([&](std::uint32_t column, double value) {
      if (column < first_count || value == 0) return;
      columns.push_back(column - first_count);
      values.push_back(std::copysign(std::sqrt(std::abs(value)), value));
      squares += std::abs(value);
    });
    const double factor = squares > 0 ? 1 / std::sqrt(squares) : 0;
    for (std::size_t k = begin; k < values.size(); ++k) values[k] *= factor;
    offsets.push_back(values.size());
  }
  return {features.num_counts(), std::move(offsets), std::move(columns), std::move(values)};
}

/// The numeric features, standardised, without constant columns and copies.
Matrix<double> standardise_numeric(const Context& context, const FeatureTable& features,
                                   std::span<const NodeIndex> node_at) {
  constexpr double kRounding = 1e-10;  // relative spread below which a column is constant
  const std::size_t n = node_at.size();
  Matrix<double> table(n, features.num_dense);
  context.for_each_range(n, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      features.matrix.row(node_at[p]).for_each([&](std::uint32_t column, double value) {
        if (column < features.num_dense) table(p, column) = value;
      });
    }
  });
  std::vector<double> mean(features.num_dense);
  std::vector<double> sd(features.num_dense);
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < features.num_dense; ++c) {
    context.poll();
    CompensatedSum total;
    double largest = 0;
    for (std::size_t p = 0; p < n; ++p) {
      total.add(table(p, c));
      largest = std::max(largest, std::abs(table(p, c)));
    }
    mean[c] = total.value() / static_cast<double>(n);
    CompensatedSum squares;
    for (std::size_t p = 0; p < n; ++p) {
      squares.add((table(p, c) - mean[c]) * (table(p, c) - mean[c]));
    }
    sd[c] = std::sqrt(squares.value() / static_cast<double>(n));
    if (sd[c] > kRounding * largest) kept.push_back(c);
  }
  // A duplicated column would be shrunk half as much, and count twice in distances.
  const auto copied = find_copies(context, table);
  std::erase_if(kept, [&](std::size_t c) { return copied[c].has_value(); });
  Matrix<double> out(n, kept.size());
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      out(p, k) = (table(p, kept[k]) - mean[kept[k]]) / sd[kept[k]];
    }
  }
  return out;
}

}  // namespace

Arm RidgeInputs::arm_of(std::size_t position) const {
  const auto after = std::upper_bound(arm_begin.begin(), arm_begin.end(), position);
  return static_cast<Arm>(after - arm_begin.begin() - 1);
}

RidgeInputs prepare_inputs(const Context& context, const Dataset& data, const MadeFeatures& made) {
  RidgeInputs out;
  const std::size_t n = data.num_nodes();
  order_by_arm(data, out);
  context.poll();
  out.graph = reorder_graph(context, data.graph, out);
  out.arm_split = split_lists(out.graph.offsets(), out.graph.neighbours(), out.arm_begin);
  const double mean_degree =
      2 * static_cast<double>(data.graph.num_edges()) / static_cast<double>(n);
  for (std::size_t p = 0; p < n; ++p) {
    const auto degree = static_cast<double>(out.graph.degree(static_cast<NodeIndex>(p)));
    out.degree.push_back(degree);
    out.relative_degree.push_back(mean_degree > 0 ? degree / mean_degree : 0);
    out.inverse_degree.push_back(1 / std::max(degree, 1.0));
  }
  context.poll();
  out.counts = scale_counts(data.features, out.node_at);
  context.poll();
  out.counts_transposed = out.counts.transposed();
  out.count_split =
      split_lists(out.counts_transposed.offsets(), out.counts_transposed.columns(), out.arm_begin);
  out.numeric = standardise_numeric(context, data.features, out.node_at);
  if (made.smooth && out.numeric.cols() > 0) {
    SmoothFeatures smooth = make_smooth_features(context, out.numeric);
    out.smooth = std::move(smooth.features);
    out.bandwidth = smooth.bandwidth;
  } else {
    out.smooth = Matrix<double>(n, 0);
  }
  out.curves = made.curves ? make_curve_features(context, out.numeric) : Matrix<double>(n, 0);
  if (made.communities) out.communities = CommunityFeatures(context, data, out.node_at);
  return out;
}

}  // namespace cone

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

/// The neighbours of every position, in ascending order.
NeighbourLists list_neighbours(const Context& context, const Graph& graph,
                               const RidgeInputs& order) {
  const std::size_t n = graph.num_nodes();
  NeighbourLists out;
  for (std::size_t p = 0; p < n; ++p) {
    out.offsets.push_back(out.offsets[p] + graph.degree(order.node_at[p]));
  }
  out.rows.resize(out.offsets.back());
  context.for_each_range(n, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p) {
      auto next = out.rows.begin() + static_cast<std::ptrdiff_t>(out.offsets[p]);
      const auto first = next;
      for (const NodeIndex j : graph.neighbours(order.node_at[p])) *next++ = order.position_of[j];
      std::sort(first, next);
    }
  });
  out.arm_offsets = split_lists(out.offsets, out.rows, order.arm_begin);
  return out;
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
  const std::vector<ColumnScale> scales = measure_columns(context, table);
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < features.num_dense; ++c) {
    if (scales[c].sd > kRounding * scales[c].largest) kept.push_back(c);
  }
  // A duplicated column would be shrunk half as much, and count twice in distances.
  const auto copied = find_copies(context, table);
  std::erase_if(kept, [&](std::size_t c) { return copied[c].has_value(); });
  Matrix<double> out(n, kept.size());
  for (std::size_t p = 0; p < n; ++p) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      out(p, k) = (table(p, kept[k]) - scales[kept[k]].mean) / scales[kept[k]].sd;
    }
  }
  return out;
}

}  // namespace

Arm RidgeInputs::arm_of(std::size_t position) const {
  const auto after = std::upper_bound(arm_begin.begin(), arm_begin.end(), position);
  return static_cast<Arm>(after - arm_begin.begin() - 1);
}

std::uint64_t RidgeInputs::num_nodes_of_all() const {
  return distributed ? distributed->num_nodes : num_nodes();
}

std::uint64_t RidgeInputs::arm_size_of_all(std::size_t arm) const {
  return distributed ? distributed->arm_sizes[arm] : arm_size(arm);
}

bool RidgeInputs::has_edges() const {
  return distributed ? distributed->num_edges > 0 : !lists->rows.empty();
}

std::uint64_t RidgeInputs::number_of(std::size_t position) const {
  return distributed ? distributed->number[position] : node_at[position];
}

const GhostRows& RidgeInputs::ghosts() const {
  static const GhostRows none;
  return distributed ? *distributed->ghosts : none;
}

RidgeInputs prepare_inputs(const Context& context, const Dataset& data, const MadeFeatures& made) {
  RidgeInputs out{.comm = &context.comm(), .distributed = data.distributed};
  const std::size_t n = data.num_nodes();
  order_by_arm(data, out);
  context.poll();
  out.lists =
      data.distributed
          ? data.distributed->lists
          : std::make_shared<const NeighbourLists>(list_neighbours(context, data.graph, out));
  const std::uint64_t num_edges =
      data.distributed ? data.distributed->num_edges : data.graph.num_edges();
  const double mean_degree =
      2 * static_cast<double>(num_edges) / static_cast<double>(out.num_nodes_of_all());
  for (std::size_t p = 0; p < n; ++p) {
    const auto degree = static_cast<double>(out.neighbours(p).size());
    out.degree.push_back(degree);
    out.relative_degree.push_back(mean_degree > 0 ? degree / mean_degree : 0);
    out.inverse_degree.push_back(1 / std::max(degree, 1.0));
  }
  context.poll();
  out.counts = scale_counts(data.features, out.node_at);
  context.poll();
  out.numeric = standardise_numeric(context, data.features, out.node_at);
  out.smooth = Matrix<double>(n, 0);
  out.curves = Matrix<double>(n, 0);
  if (made.smooth && out.numeric.cols() > 0) {
    std::vector<std::uint64_t> order;  // of one process: by arm, then by number
    for (std::size_t p = 0; p < n; ++p) {
      constexpr std::uint64_t kNumbers = std::uint64_t{1} << 56U;
      order.push_back(out.arm_of(p) * kNumbers + out.number_of(p));
    }
    SmoothFeatures smooth = make_smooth_features(context, out.numeric, order);
    out.smooth = std::move(smooth.features);
    out.bandwidth = smooth.bandwidth;
  }
  if (made.curves) out.curves = make_curve_features(context, out.numeric);
  if (made.communities) {
    out.communities = CommunityFeatures(
        data, out.node_at,
        made.found != nullptr ? *made.found : find_node_communities(context, data));
  }
  return out;
}

}  // namespace cone

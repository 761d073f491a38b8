#include "simulate/network_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/network_streams.hpp"

namespace cone {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kCountedNodes = 1024;

std::size_t count_common(std::span<const NodeIndex> a, std::span<const NodeIndex> b) {
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) ++common;
    const bool advance_i = *i <= *j;
    const bool advance_j = *j <= *i;
    i += advance_i ? 1 : 0;
    j += advance_j ? 1 : 0;
  }
  return common;
}

double local_clustering(const Graph& graph, NodeIndex i) {
  const std::span<const NodeIndex> neighbours = graph.neighbours(i);
  if (neighbours.size() < 2) return 0;
  std::size_t ends = 0;
  for (const NodeIndex j : neighbours) ends += count_common(neighbours, graph.neighbours(j));
  return static_cast<double>(ends) /
         (static_cast<double>(neighbours.size()) * static_cast<double>(neighbours.size() - 1));
}

/// Whether two random neighbours of a random node are neighbours.
bool draw_closed_wedge(const Graph& graph, Rng rng) {
  const auto neighbours = graph.neighbours(static_cast<NodeIndex>(rng.below(graph.num_nodes())));
  if (neighbours.size() < 2) return false;
  const std::uint64_t first = rng.below(neighbours.size());
  const std::uint64_t other = rng.below(neighbours.size() - 1);
  const NodeIndex b = neighbours[other + (other >= first ? 1 : 0)];
  return std::ranges::binary_search(graph.neighbours(neighbours[first]), b);
}

}  // namespace

double mean_degree(const Graph& graph) {
  return 2.0 * static_cast<double>(graph.num_edges()) / static_cast<double>(graph.num_nodes());
}

std::size_t max_degree(const Graph& graph) {
  std::size_t largest = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) largest = std::max(largest, graph.degree(i));
  return largest;
}

double degree_tail_exponent(const Graph& graph, std::size_t min_degree) {
  require(min_degree >= 1, "tail exponent: the minimum degree must be at least 1");
  const double origin = static_cast<double>(min_degree) - 0.5;
  std::size_t count = 0;
  CompensatedSum total;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    if (graph.degree(i) < min_degree) continue;
    ++count;
    total.add(std::log(static_cast<double>(graph.degree(i)) / origin));
  }
  return count == 0 ? kNan : 1.0 + static_cast<double>(count) / total.value();
}

double average_clustering(const Context& context, const Graph& graph, std::size_t max_exact_nodes) {
  if (graph.num_nodes() <= max_exact_nodes) {
    const auto sums = context.map_ranges<double>(
        graph.num_nodes(), kCountedNodes / 16, [&](std::size_t begin, std::size_t end) {
          double total = 0;
          for (std::size_t i = begin; i < end; ++i) {
            total += local_clustering(graph, static_cast<NodeIndex>(i));
          }
          return total;
        });
    return sum(sums) / static_cast<double>(graph.num_nodes());
  }
  constexpr std::size_t kNumDraws = 1'000'000;
  const auto counts = context.map_ranges<std::size_t>(
      kNumDraws, kCountedNodes, [&](std::size_t begin, std::size_t end) {
        std::size_t closed = 0;
        for (std::size_t k = begin; k < end; ++k) {
          closed += draw_closed_wedge(graph, Rng(context.seed(), Stream::kNetwork,
                                                 network_item(NetworkDraw::kWedge, k)))
                        ? 1
                        : 0;
        }
        return closed;
      });
  std::size_t closed = 0;
  for (const std::size_t count : counts) closed += count;
  return static_cast<double>(closed) / static_cast<double>(kNumDraws);
}

double label_assortativity(const Graph& graph, std::span<const std::uint32_t> labels) {
  require(labels.size() == graph.num_nodes(), "assortativity: one label per node");
  const std::uint32_t largest = labels.empty() ? 0 : std::ranges::max(labels);
  std::vector<double> ends(largest + 1, 0.0);
  std::uint64_t within = 0;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    ends[labels[i]] += static_cast<double>(graph.degree(i));
    for (const NodeIndex j : graph.neighbours(i)) within += labels[i] == labels[j] ? 1 : 0;
  }
  const double total = 2.0 * static_cast<double>(graph.num_edges());
  double chance = 0;
  for (const double e : ends) chance += (e / total) * (e / total);
  return (static_cast<double>(within) / total - chance) / (1.0 - chance);
}

double topic_homophily(const Context& context, const Graph& graph,
                       MatrixView<const double> topics) {
  require(topics.rows() == graph.num_nodes(), "topic homophily: one row of topics per node");
  std::vector<double> centre(topics.cols(), 0.0);
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    const auto degree = static_cast<double>(graph.degree(i));
    for (std::size_t k = 0; k < centre.size(); ++k) centre[k] += degree * topics(i, k);
  }
  for (double& c : centre) c /= 2.0 * static_cast<double>(graph.num_edges());

  struct Sums {
    double across = 0;
    double self = 0;
  };
  const auto pieces = context.map_ranges<Sums>(
      graph.num_nodes(), kCountedNodes, [&](std::size_t begin, std::size_t end) {
        Sums sums;
        std::vector<double> deviation(centre.size());
        for (std::size_t i = begin; i < end; ++i) {
          // Σ_j (r_i − μ)·(r_j − μ) = Σ_j (r_i − μ)·r_j − d_i (r_i − μ)·μ
          double offset = 0;
          double square = 0;
          for (std::size_t k = 0; k < centre.size(); ++k) {
            deviation[k] = topics(i, k) - centre[k];
            offset += deviation[k] * centre[k];
            square += deviation[k] * deviation[k];
          }
          const auto neighbours = graph.neighbours(static_cast<NodeIndex>(i));
          const auto degree = static_cast<double>(neighbours.size());
          for (const NodeIndex j : neighbours) {
            const std::span<const double> other = topics.row(j);
            double product = 0;
            for (std::size_t k = 0; k < centre.size(); ++k) product += deviation[k] * other[k];
            sums.across += product;
          }
          sums.across -= degree * offset;
          sums.self += degree * square;
        }
        return sums;
      });
  CompensatedSum across;
  CompensatedSum self;
  for (const Sums& piece : pieces) {
    across.add(piece.across);
    self.add(piece.self);
  }
  return self.value() > 0 ? across.value() / self.value() : kNan;
}

std::size_t largest_component_size(const Graph& graph) {
  std::vector<bool> visited(graph.num_nodes(), false);
  std::vector<NodeIndex> pending;
  std::size_t largest = 0;
  for (NodeIndex start = 0; start < graph.num_nodes(); ++start) {
    if (visited[start]) continue;
    visited[start] = true;
    pending.push_back(start);
    std::size_t size = 0;
    while (!pending.empty()) {
      const NodeIndex i = pending.back();
      pending.pop_back();
      ++size;
      for (const NodeIndex j : graph.neighbours(i)) {
        if (visited[j]) continue;
        visited[j] = true;
        pending.push_back(j);
      }
    }
    largest = std::max(largest, size);
  }
  return largest;
}

}  // namespace cone

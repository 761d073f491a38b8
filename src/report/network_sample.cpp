#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "cone/report.hpp"

#include "report/layout.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostSampled = 90;
constexpr std::size_t kMostNewNeighbours = 5;  // per node: otherwise one hub fills the figure
constexpr std::size_t kMostEdges = 260;
constexpr std::size_t kNumGroups = 5;

/// A node with the median degree among nodes with edges.
NodeIndex middle_node(const Graph& graph) {
  std::vector<NodeIndex> connected;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    if (graph.degree(i) > 0) connected.push_back(i);
  }
  const auto middle = connected.begin() + static_cast<std::ptrdiff_t>(connected.size() / 2);
  std::nth_element(connected.begin(), middle, connected.end(), [&](NodeIndex a, NodeIndex b) {
    return std::pair(graph.degree(a), a) < std::pair(graph.degree(b), b);
  });
  return *middle;
}

/// Breadth-first from `start`, a few new neighbours per node.
std::vector<NodeIndex> gather_around(const Graph& graph, NodeIndex start) {
  std::vector<NodeIndex> found = {start};
  std::map<NodeIndex, std::size_t> index_of = {{start, 0}};
  for (std::size_t at = 0; at < found.size() && found.size() < kMostSampled; ++at) {
    std::size_t taken = 0;
    for (const NodeIndex neighbour : graph.neighbours(found[at])) {
      if (taken == kMostNewNeighbours || found.size() == kMostSampled) break;
      if (!index_of.emplace(neighbour, found.size()).second) continue;
      found.push_back(neighbour);
      ++taken;
    }
  }
  return found;
}

std::vector<LayoutEdge> edges_among(const Graph& graph, const std::vector<NodeIndex>& units) {
  std::map<NodeIndex, std::size_t> index_of;
  for (std::size_t i = 0; i < units.size(); ++i) index_of[units[i]] = i;
  std::vector<LayoutEdge> edges;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const NodeIndex other : graph.neighbours(units[i])) {
      const auto found = index_of.find(other);
      if (found != index_of.end() && found->second > i) edges.emplace_back(i, found->second);
    }
  }
  // Evenly thinned where there are too many to see anything.
  std::vector<LayoutEdge> shown;
  const std::size_t step = (edges.size() + kMostEdges - 1) / kMostEdges;
  for (std::size_t i = 0; i < edges.size(); i += std::max<std::size_t>(1, step)) {
    shown.push_back(edges[i]);
  }
  return shown;
}

/// The values that colour the figure, one per row of the table; NaN where missing.
std::pair<std::string, std::vector<double>> shown_values(const NodeTable& nodes) {
  const std::size_t count = nodes.nodes.size();
  const double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> effect(count, none), propensity(count, none);
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes.mu.rows() == count && nodes.mu.cols() == 2)
      effect[i] = nodes.mu(i, 1) - nodes.mu(i, 0);
    if (nodes.propensity.rows() == count && nodes.propensity.cols() > 0) {
      propensity[i] = 1 - nodes.propensity(i, 0);
    }
  }
  const auto is_number = [](double value) { return std::isfinite(value); };
  if (std::any_of(effect.begin(), effect.end(), is_number)) return {"effect", std::move(effect)};
  if (std::any_of(propensity.begin(), propensity.end(), is_number)) {
    return {"propensity", std::move(propensity)};
  }
  return {"", std::move(effect)};
}

/// The quintile of each value, 0 the lowest; -1 for NaN.
std::vector<int> group_values(const std::vector<double>& values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(values[a], a) < std::pair(values[b], b);
  });
  std::vector<int> groups(values.size(), -1);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    groups[order[rank]] = static_cast<int>(kNumGroups * rank / order.size());
  }
  return groups;
}

}  // namespace

nlohmann::ordered_json sample_network(const Dataset& data, const NodeTable& nodes, bool with_ids) {
  using Json = nlohmann::ordered_json;
  if (data.graph.num_edges() == 0) return nullptr;
  const std::vector<NodeIndex> units = gather_around(data.graph, middle_node(data.graph));
  const std::vector<LayoutEdge> edges = edges_among(data.graph, units);
  const auto [name, all_values] = shown_values(nodes);
  std::map<NodeIndex, double> value_of;
  for (std::size_t i = 0; i < nodes.nodes.size(); ++i) value_of[nodes.nodes[i]] = all_values[i];
  std::vector<double> values;
  for (const NodeIndex unit : units) {
    const auto found = value_of.find(unit);
    values.push_back(found == value_of.end() ? std::numeric_limits<double>::quiet_NaN()
                                             : found->second);
  }
  const std::vector<int> groups = group_values(values);
  const std::vector<LayoutPoint> points = layout_nodes(units.size(), edges);
  Json json = {{"coloured_by", name}, {"nodes", Json::array()}, {"edges", Json::array()}};
  for (std::size_t i = 0; i < units.size(); ++i) {
    Json node = {{"x", std::lround(1000 * points[i].x)}, {"y", std::lround(1000 * points[i].y)}};
    node["group"] = groups[i] < 0 ? Json(nullptr) : Json(groups[i]);
    if (with_ids) node["id"] = std::string(data.ids[units[i]]);
    json["nodes"].push_back(std::move(node));
  }
  for (const auto& [first, second] : edges) json["edges"].push_back({first, second});
  return json;
}

}  // namespace cone

#include "report/network_sample.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "report/place_nodes.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostSampled = 90;
constexpr std::size_t kMostNewNeighbours = 5;  // of one unit: else one hub fills the picture
constexpr std::size_t kMostTies = 260;
constexpr std::size_t kNumGroups = 5;

/// Somebody with a median degree among those who have any.
NodeIndex middle_node(const Graph& graph) {
  std::vector<NodeIndex> tied;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    if (graph.degree(i) > 0) tied.push_back(i);
  }
  const auto middle = tied.begin() + static_cast<std::ptrdiff_t>(tied.size() / 2);
  std::nth_element(tied.begin(), middle, tied.end(), [&](NodeIndex a, NodeIndex b) {
    return std::pair(graph.degree(a), a) < std::pair(graph.degree(b), b);
  });
  return *middle;
}

/// Neighbours of neighbours from `start` on, a few of each unit.
std::vector<NodeIndex> gather_around(const Graph& graph, NodeIndex start) {
  std::vector<NodeIndex> found = {start};
  std::map<NodeIndex, std::size_t> place = {{start, 0}};
  for (std::size_t at = 0; at < found.size() && found.size() < kMostSampled; ++at) {
    std::size_t taken = 0;
    for (const NodeIndex neighbour_node : graph.neighbours(found[at])) {
      if (taken == kMostNewNeighbours || found.size() == kMostSampled) break;
      if (!place.emplace(neighbour_node, found.size()).second) continue;
      found.push_back(neighbour_node);
      ++taken;
    }
  }
  return found;
}

std::vector<Tie> ties_among(const Graph& graph, const std::vector<NodeIndex>& units) {
  std::map<NodeIndex, std::size_t> place;
  for (std::size_t i = 0; i < units.size(); ++i) place[units[i]] = i;
  std::vector<Tie> ties;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const NodeIndex other : graph.neighbours(units[i])) {
      const auto found = place.find(other);
      if (found != place.end() && found->second > i) ties.emplace_back(i, found->second);
    }
  }
  // Evenly from all, where there are too many to see anything.
  std::vector<Tie> shown;
  const std::size_t step = (ties.size() + kMostTies - 1) / kMostTies;
  for (std::size_t i = 0; i < ties.size(); i += std::max<std::size_t>(1, step)) {
    shown.push_back(ties[i]);
  }
  return shown;
}

/// What the picture is coloured by, one number per row of the table; NaN where there is none.
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

/// The fifth that each value lies in, 0 the lowest; -1 of NaN.
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
  const std::vector<Tie> ties = ties_among(data.graph, units);
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
  const std::vector<Place2> places = place_nodes(units.size(), ties);
  Json json = {{"coloured_by", name}, {"nodes", Json::array()}, {"edges", Json::array()}};
  for (std::size_t i = 0; i < units.size(); ++i) {
    Json node = {{"x", std::lround(1000 * places[i].x)}, {"y", std::lround(1000 * places[i].y)}};
    node["group"] = groups[i] < 0 ? Json(nullptr) : Json(groups[i]);
    if (with_ids) node["id"] = std::string(data.ids[units[i]]);
    json["nodes"].push_back(std::move(node));
  }
  for (const auto& [first, second] : ties) json["edges"].push_back({first, second});
  return json;
}

}  // namespace cone

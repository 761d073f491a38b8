#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/dataset.hpp"
#include "cone/graph.hpp"
#include "cone/report.hpp"

#include "report/layout.hpp"

namespace cone {
namespace {

double distance_between(const LayoutPoint& a, const LayoutPoint& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

TEST(LayoutNodes, PutsNeighboursNearEachOther) {
  // Two cliques of six nodes with one edge between them.
  std::vector<LayoutEdge> edges = {{0, 6}};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      edges.emplace_back(i, j);
      edges.emplace_back(6 + i, 6 + j);
    }
  }
  const std::vector<LayoutPoint> points = layout_nodes(12, edges);
  double within = 0, across = 0;
  for (std::size_t i = 1; i < 6; ++i) {
    within += distance_between(points[i], points[(i % 5) + 1]);
    across += distance_between(points[i], points[6 + i]);
  }
  EXPECT_LT(2 * within, across);
  for (const LayoutPoint& point : points) {
    EXPECT_GE(std::min(point.x, point.y), 0);
    EXPECT_LE(std::max(point.x, point.y), 1);
  }
}

TEST(LayoutNodes, HandlesOneNodeAndNone) {
  EXPECT_TRUE(layout_nodes(0, {}).empty());
  EXPECT_EQ(layout_nodes(1, {}).front().x, 0.5);
}

Dataset ring_of(std::size_t count) {
  Dataset data;
  for (NodeIndex i = 0; i < count; ++i) data.ids.insert("unit " + std::to_string(i));
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeIndex> neighbours;
  for (NodeIndex i = 0; i < count; ++i) {
    const auto last = static_cast<NodeIndex>(count - 1);
    const NodeIndex before = i == 0 ? last : i - 1;
    const NodeIndex after = i == last ? 0 : i + 1;
    neighbours.insert(neighbours.end(), {std::min(before, after), std::max(before, after)});
    offsets.push_back(neighbours.size());
  }
  data.graph = Graph(std::move(offsets), std::move(neighbours));
  return data;
}

TEST(NetworkSample, IsPartOfTheNetworkWithoutIds) {
  const Dataset data = ring_of(300);
  NodeTable nodes;
  nodes.mu = Matrix<double>(300, 2, 0);
  for (NodeIndex i = 0; i < 300; ++i) {
    nodes.nodes.push_back(i);
    nodes.mu(i, 1) = static_cast<double>(i);
  }
  const nlohmann::ordered_json sample = sample_network(data, nodes, false);
  EXPECT_EQ(sample["coloured_by"], "effect");
  EXPECT_EQ(sample["nodes"].size(), 90U);
  EXPECT_EQ(sample["edges"].size(), 89U) << "a segment of the ring";
  std::vector<int> counts(5, 0);
  for (const auto& node : sample["nodes"]) ++counts.at(node["group"].get<std::size_t>());
  EXPECT_EQ(counts, std::vector<int>(5, 18));
  EXPECT_EQ(sample.dump().find("unit"), std::string::npos);
  EXPECT_NE(sample_network(data, nodes, true).dump().find("unit"), std::string::npos);
}

TEST(NetworkSample, WithoutValuesHasNoGroups) {
  const nlohmann::ordered_json sample = sample_network(ring_of(5), NodeTable{}, false);
  EXPECT_EQ(sample["nodes"].size(), 5U);
  EXPECT_EQ(sample["edges"].size(), 5U);
  EXPECT_TRUE(sample["nodes"][0]["group"].is_null());
}

TEST(NetworkSample, WithoutEdgesIsNull) {
  Dataset data;
  data.graph = Graph({0, 0, 0}, {});
  EXPECT_TRUE(sample_network(data, NodeTable{}, false).is_null());
}

}  // namespace
}  // namespace cone

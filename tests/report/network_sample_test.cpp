#include "report/network_sample.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "cone/dataset.hpp"
#include "cone/graph.hpp"

#include "report/place_nodes.hpp"

namespace cone {
namespace {

double distance_between(const Place2& a, const Place2& b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

TEST(PlaceNodes, PutsNeighboursNearEachOther) {
  // Two groups of six, everyone tied to everyone within, one tie between.
  std::vector<Tie> ties = {{0, 6}};
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ties.emplace_back(i, j);
      ties.emplace_back(6 + i, 6 + j);
    }
  }
  const std::vector<Place2> places = place_nodes(12, ties);
  double within = 0, across = 0;
  for (std::size_t i = 1; i < 6; ++i) {
    within += distance_between(places[i], places[(i % 5) + 1]);
    across += distance_between(places[i], places[6 + i]);
  }
  EXPECT_LT(2 * within, across);
  for (const Place2& place : places) {
    EXPECT_GE(std::min(place.x, place.y), 0);
    EXPECT_LE(std::max(place.x, place.y), 1);
  }
}

TEST(PlaceNodes, HasAPlaceForOneAndNoneForNobody) {
  EXPECT_TRUE(place_nodes(0, {}).empty());
  EXPECT_EQ(place_nodes(1, {}).front().x, 0.5);
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

TEST(NetworkSample, IsAPieceOfTheNetworkWithoutIds) {
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
  EXPECT_EQ(sample["edges"].size(), 89U) << "a stretch of the ring";
  std::vector<int> counts(5, 0);
  for (const auto& node : sample["nodes"]) ++counts.at(node["group"].get<std::size_t>());
  EXPECT_EQ(counts, std::vector<int>(5, 18));
  EXPECT_EQ(sample.dump().find("unit"), std::string::npos);
  EXPECT_NE(sample_network(data, nodes, true).dump().find("unit"), std::string::npos);
}

TEST(NetworkSample, OfUnitsWithoutNumbersHasNoGroups) {
  const nlohmann::ordered_json sample = sample_network(ring_of(5), NodeTable{}, false);
  EXPECT_EQ(sample["nodes"].size(), 5U);
  EXPECT_EQ(sample["edges"].size(), 5U);
  EXPECT_TRUE(sample["nodes"][0]["group"].is_null());
}

TEST(NetworkSample, OfNoTiesIsNothing) {
  Dataset data;
  data.graph = Graph({0, 0, 0}, {});
  EXPECT_TRUE(sample_network(data, NodeTable{}, false).is_null());
}

}  // namespace
}  // namespace cone

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kNetworkTop = 10;
constexpr double kNetworkHeight = 380;
constexpr std::size_t kNumLevels = 5;
constexpr std::array<const char*, kNumLevels + 1> kLevelStyles = {"n0", "n1", "n2",
                                                                  "n3", "n4", "n5"};
constexpr std::array<const char*, kNumLevels + 1> kLevelNames = {
    "lowest quintile", "second", "third", "fourth", "highest quintile", "unknown"};

std::string colour_meaning(const std::string& what) {
  if (what == "effect") return "the estimated treatment effect";
  if (what == "propensity") return "the probability of treatment";
  return "nothing: no model predicts single units";
}

}  // namespace

Html network_figure(const RecordView& sample) {
  struct Unit {
    double x, y;
    std::size_t level;
    std::string id;
  };
  std::vector<Unit> units;
  bool has_ids = false;
  for (const RecordView& node : sample.at("nodes").entries()) {
    const double group = node.number("group");
    const bool is_known = group >= 0 && group < static_cast<double>(kNumLevels);
    const auto id = node.find("id");
    has_ids = has_ids || id.has_value();
    const double x = node.number("x") / 1000;
    const double y = node.number("y") / 1000;
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) node.fail("lies outside the figure");
    units.push_back({x, kNetworkTop + kNetworkHeight * y,
                     is_known ? static_cast<std::size_t>(group) : kNumLevels,
                     id ? id->text() : std::string()});
  }
  if (units.empty()) return {};
  const std::string what = colour_meaning(sample.text("coloured_by"));
  Chart chart(
      "Part of the network",
      "Marks are nodes and lines are edges. Darker and larger: a higher quintile of " + what + ".",
      kNetworkHeight + 2 * kNetworkTop);
  std::vector<Segment> edges;
  for (const RecordView& edge : sample.at("edges").entries()) {
    const auto [first, second] = edge.range();
    const auto count = static_cast<double>(units.size());
    if (!(first >= 0 && first < count && second >= 0 && second < count)) {
      edge.fail("has an end that is not among the nodes");
    }
    const Unit& a = units[static_cast<std::size_t>(first)];
    const Unit& b = units[static_cast<std::size_t>(second)];
    edges.push_back({a.x, a.y, b.x, b.y});
  }
  chart.segments(edges, "edge");
  std::array<std::vector<std::pair<double, double>>, kNumLevels + 1> by_level;
  for (const Unit& unit : units) by_level[unit.level].emplace_back(unit.x, unit.y);
  Table counts({"group", "nodes shown"});
  for (std::size_t level = 0; level <= kNumLevels; ++level) {
    chart.dots(by_level[level], kLevelStyles[level]);
    if (by_level[level].empty()) continue;
    counts.add_row({kLevelNames[level], count_text(static_cast<double>(by_level[level].size()))});
  }
  Html table = counts.finish("Groups of nodes shown");
  if (has_ids) {
    Table named({"id", "group"}, true);
    for (const Unit& unit : units) named.add_row({unit.id, kLevelNames[unit.level]});
    table += named.finish("Nodes shown");
  }
  return figure(
      "Part of the network",
      html("<p class=\"soft\">Nodes around one with the median degree. Darker and larger: a "
           "higher quintile of {}. Clusters of dark marks: neighbours are similar.</p>\n",
           what),
      chart.finish(), table);
}

}  // namespace cone::report

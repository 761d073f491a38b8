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
    "lowest fifth", "second", "middle", "fourth", "highest fifth", "not known"};

std::string coloured_words(const std::string& what) {
  if (what == "effect") return "the effect of treatment, as the model sees it";
  if (what == "propensity") return "the probability of treatment";
  return "nothing: no model says something of single units";
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
    if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1)) node.fail("lies outside the picture");
    units.push_back({x, kNetworkTop + kNetworkHeight * y,
                     is_known ? static_cast<std::size_t>(group) : kNumLevels,
                     id ? id->text() : std::string()});
  }
  if (units.empty()) return {};
  const std::string what = coloured_words(sample.text("coloured_by"));
  Chart chart("A piece of the network",
              "Marks are units and lines are ties. Darker and larger is "
              "a higher fifth of " +
                  what + ".",
              kNetworkHeight + 2 * kNetworkTop);
  std::vector<Segment> ties;
  for (const RecordView& tie : sample.at("edges").entries()) {
    const auto [first, second] = tie.range();
    const auto count = static_cast<double>(units.size());
    if (!(first >= 0 && first < count && second >= 0 && second < count)) {
      tie.fail("leads to nobody in the picture");
    }
    const Unit& a = units[static_cast<std::size_t>(first)];
    const Unit& b = units[static_cast<std::size_t>(second)];
    ties.push_back({a.x, a.y, b.x, b.y});
  }
  chart.segments(ties, "tie");
  std::array<std::vector<std::pair<double, double>>, kNumLevels + 1> by_level;
  for (const Unit& unit : units) by_level[unit.level].emplace_back(unit.x, unit.y);
  Table counts({"group", "units shown"});
  for (std::size_t level = 0; level <= kNumLevels; ++level) {
    chart.dots(by_level[level], kLevelStyles[level]);
    if (by_level[level].empty()) continue;
    counts.add_row({kLevelNames[level], count_text(static_cast<double>(by_level[level].size()))});
  }
  Html table = counts.finish("Groups in the picture");
  if (has_ids) {
    Table named({"id", "group"}, true);
    for (const Unit& unit : units) named.add_row({unit.id, kLevelNames[unit.level]});
    table += named.finish("Units in the picture");
  }
  return figure("A piece of the network",
                html("<p class=\"soft\">Units around one with a median degree. Darker and "
                     "larger: a higher fifth of {}. Where dark marks lie together, neighbours are "
                     "alike.</p>\n",
                     what),
                chart.finish(), table);
}

}  // namespace cone::report

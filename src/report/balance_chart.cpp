#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/labels.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kLoveRow = 19;
constexpr double kLoveTop = 8;
constexpr double kLoveLeft = 0.38;  // share of the width that names take
constexpr double kLoveLimit = 0.1;  // beyond it an arm is not balanced
constexpr std::size_t kMostLoveRows = 16;

struct LoveRow {
  std::string name;
  bool is_own = true;
  double before, after;
  double size() const {
    return std::max(std::isfinite(before) ? std::abs(before) : 0,
                    std::isfinite(after) ? std::abs(after) : 0);
  }
};

std::string love_name(const RecordView& column) {
  const std::string of = column.text("of");
  if (of == "degree") return "degree";
  return of == "neighbours" ? "neighbours: " + column.text("name") : column.text("name");
}

}  // namespace

Html balance_figure(const RecordView& arm) {
  const std::string label = arm.text("arm");
  std::vector<LoveRow> rows;
  Table table({"column", "before weighting", "after weighting", "std. error after"});
  for (const RecordView& column : arm.at("columns").entries()) {
    rows.push_back({love_name(column), column.text("of") == "own", column.number("before"),
                    column.number("after")});
    table.add_row({rows.back().name, signed_text(rows.back().before),
                   signed_text(rows.back().after), number_text(column.number("error"))});
  }
  const std::size_t num_all = rows.size();
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LoveRow& a, const LoveRow& b) { return a.size() > b.size(); });
  if (rows.size() > kMostLoveRows) rows.resize(kMostLoveRows);
  std::vector<double> values = {-kLoveLimit, kLoveLimit};
  for (const LoveRow& row : rows) values.insert(values.end(), {row.before, row.after});
  const Axis axis = make_axis(values, 4);
  const double bottom = kLoveTop + kLoveRow * static_cast<double>(rows.size());
  Chart chart(fmt::format("Balance of arm {}", label),
              "Standardised mean difference of each column between the arm and all nodes: before "
              "weighting as a ring, after weighting as a filled mark. Dashed lines are the limits "
              "of ±0.1.",
              bottom + 38);
  const auto at = [&](double value) { return kLoveLeft + (1 - kLoveLeft) * axis.share(value); };
  std::vector<Segment> grid, changes;
  for (const double tick : axis.ticks) {
    grid.push_back(vertical(at(tick), kLoveTop, bottom));
    chart.text(at(tick), bottom + 15, "middle", axis.tick_text(tick), "tick");
  }
  chart.text((1 + kLoveLeft) / 2, bottom + 32, "middle", "standardised mean difference", "tick");
  chart.segments(grid, "grid");
  chart.segments(std::vector{vertical(at(-kLoveLimit), kLoveTop, bottom),
                             vertical(at(kLoveLimit), kLoveTop, bottom)},
                 "limit");
  chart.segments(std::vector{vertical(at(0), kLoveTop, bottom)}, "reference");
  double y = kLoveTop + kLoveRow / 2;
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const LoveRow& row : rows) names.push_back(row.name);
  const std::vector<std::string> labels = label_texts(names, 19);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LoveRow& row = rows[i];
    chart.text(0, y + 4, "start", labels[i]);
    if (std::isfinite(row.before) && std::isfinite(row.after)) {
      changes.push_back({at(row.before), y, at(row.after), y});
    }
    if (std::isfinite(row.before)) chart.mark(Marker::kRing, at(row.before), y, "ring");
    if (std::isfinite(row.after)) {
      chart.mark(row.is_own ? Marker::kCircle : Marker::kSquare, at(row.after), y, "dot");
    }
    y += kLoveRow;
  }
  chart.segments(changes, "axis");
  const Html words = html(
      "<p class=\"legend\"><span>○ unweighted</span> <span>● weighted, own feature</span> "
      "<span>■ weighted, neighbours or degree</span>{}</p>\n",
      num_all > rows.size() ? html(" <span>the {} largest of {}</span>", rows.size(), num_all)
                            : Html());
  return figure("Balance, arm " + label, words, chart.finish(),
                table.finish("Balance, arm " + label));
}

}  // namespace cone::report

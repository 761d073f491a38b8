#include "report/forest_chart.hpp"

#include <algorithm>
#include <cmath>

#include "report/axis.hpp"
#include "report/chart.hpp"

namespace cone::report {
namespace {

constexpr double kRowHeight = 36;
constexpr double kTop = 6;
constexpr std::size_t kLongestLabel = 32;

Axis forest_axis(std::span<const ForestRow> rows, const ForestLook& look) {
  std::vector<double> values;
  for (const bool with_struck : {false, true}) {
    for (const ForestRow& row : rows) {
      if (row.is_struck && !with_struck) continue;
      values.insert(values.end(), {row.value, row.inner.first, row.inner.second, row.outer.first,
                                   row.outer.second});
      if (row.truth) values.push_back(*row.truth);
    }
    // What is struck out may be absurd: it shapes the scale only where there is nothing else.
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) break;
  }
  if (look.reference) values.push_back(*look.reference);
  return make_axis(values);
}

void draw_row(Chart& chart, const Axis& axis, const ForestRow& row, double top) {
  const double y = top + 25;
  chart.text(0, top + 14, "start", cut_text(row.label, kLongestLabel),
             row.is_struck ? "struck" : "label");
  chart.text(1, top + 14, "end", number_text(row.value), row.is_struck ? "struck" : "label");
  const auto draw_range = [&](const Range& range, const char* style, double end) {
    if (!is_finite(range)) return;
    const double x1 = axis.share(range.first);
    const double x2 = axis.share(range.second);
    chart.line(x1, y, x2, y, style);
    if (axis.holds(range.first)) chart.line(x1, y - end, x1, y + end, "cap");
    if (axis.holds(range.second)) chart.line(x2, y - end, x2, y + end, "cap");
  };
  draw_range(row.outer, "outer", 4);
  draw_range(row.inner, row.is_struck ? "inner weak" : "inner", 3);
  if (!std::isfinite(row.value)) return;
  if (!axis.holds(row.value)) {
    const bool is_left = row.value < axis.low;
    chart.text(is_left ? 0 : 1, y + 4, is_left ? "start" : "end", is_left ? "◀ beyond" : "beyond ▶",
               "tick");
    return;
  }
  const Marker marker = row.is_struck      ? Marker::kCross
                        : row.is_reference ? Marker::kSquare
                                           : Marker::kCircle;
  chart.mark(marker, axis.share(row.value), y, row.is_struck ? "cross" : "dot");
  if (row.truth && std::isfinite(*row.truth)) {
    chart.mark(Marker::kDiamond, axis.share(*row.truth), y, "truth");
  }
}

}  // namespace

Html forest_chart(std::span<const ForestRow> rows, const ForestLook& look) {
  const Axis axis = forest_axis(rows, look);
  const double bottom = kTop + kRowHeight * static_cast<double>(rows.size());
  Chart chart(look.title, look.description, bottom + (look.axis_name.empty() ? 20 : 38));
  chart.horizontal_axis(axis, kTop, bottom, look.axis_name);
  if (look.reference) {
    const double x = axis.share(*look.reference);
    chart.line(x, kTop, x, bottom, "reference");
  }
  double top = kTop;
  for (const ForestRow& row : rows) {
    draw_row(chart, axis, row, top);
    top += kRowHeight;
  }
  return chart.finish();
}

Html forest_legend(std::span<const ForestRow> rows, std::string_view inner_name,
                   std::string_view outer_name) {
  const auto any = [&](const auto& holds) { return std::any_of(rows.begin(), rows.end(), holds); };
  Html legend;
  const auto add = [&](const char* sample, std::string_view meaning) {
    legend += html(R"(<span><svg width="28" height="12" aria-hidden="true">{}</svg> {}</span> )",
                   Html::trusted(sample), meaning);
  };
  if (any([](const ForestRow& row) { return is_finite(row.inner); })) {
    add(R"(<line x1="2" x2="26" y1="6" y2="6" class="inner"/><circle cx="14" cy="6" r="4.5" class="dot"/>)",
        inner_name);
  }
  if (any([](const ForestRow& row) { return is_finite(row.outer); })) {
    add(R"(<line x1="0" x2="28" y1="6" y2="6" class="outer"/>)", outer_name);
  }
  if (any([](const ForestRow& row) { return row.truth.has_value(); })) {
    add(R"(<path d="M8 6l6-6 6 6-6 6z" class="truth"/>)", "truth (simulated data)");
  }
  if (any([](const ForestRow& row) { return row.is_reference; })) {
    add(R"(<path d="M10 2h8v8h-8z" class="dot"/>)", "known, not estimated");
  }
  if (any([](const ForestRow& row) { return row.is_struck; })) {
    add(R"(<path d="M10 2l8 8M10 10l8-8" class="cross"/>)", "fails its checks");
  }
  return html("<p class=\"legend\">{}</p>\n", legend);
}

}  // namespace cone::report

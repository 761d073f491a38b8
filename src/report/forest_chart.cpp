#include "report/forest_chart.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "report/axis.hpp"
#include "report/chart.hpp"
#include "report/labels.hpp"

namespace cone::report {
namespace {

constexpr double kRowHeight = 36;
constexpr double kTop = 6;
constexpr double kLineAt = 25;  // below the top of a row
constexpr std::size_t kLongestLabel = 24;

Axis forest_axis(std::span<const ForestRow> rows, const ForestLook& look) {
  std::vector<double> values;
  for (const bool with_struck : {false, true}) {
    for (const ForestRow& row : rows) {
      if (row.is_struck && !with_struck) continue;
      values.insert(values.end(), {row.value, row.inner.first, row.inner.second, row.outer.first,
                                   row.outer.second});
      if (row.truth) values.push_back(*row.truth);
    }
    // Estimates that fail may be absurd: they affect the scale only where there is nothing else.
    if (std::any_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) break;
  }
  if (look.largest) std::erase_if(values, [&](double v) { return v > *look.largest; });
  if (look.reference) values.push_back(*look.reference);
  return make_axis(values);
}

/// The lines of all rows, by style.
struct ForestLines {
  std::vector<Segment> inner, struck, outer, caps;
  std::vector<std::pair<double, double>> points;
};

void add_range(const Axis& axis, const Range& range, double y, double cap,
               std::vector<Segment>& lines, std::vector<Segment>& caps) {
  if (!is_finite(range)) return;
  lines.push_back({axis.share(range.first), y, axis.share(range.second), y});
  for (const double end : {range.first, range.second}) {
    // No cap at the edge of the chart: the interval continues there.
    if (axis.holds(end)) caps.push_back(vertical(axis.share(end), y - cap, y + cap));
  }
}

void draw_lines(Chart& chart, const Axis& axis, std::span<const ForestRow> rows, bool has_caps) {
  ForestLines lines;
  double y = kTop + kLineAt;
  for (const ForestRow& row : rows) {
    if (std::isfinite(row.value) && !axis.holds(row.value)) {
      y += kRowHeight;
      continue;
    }
    add_range(axis, row.outer, y, 4, lines.outer, lines.caps);
    add_range(axis, row.inner, y, 3, row.is_struck ? lines.struck : lines.inner, lines.caps);
    const bool is_point = !row.is_struck && !row.is_reference && std::isfinite(row.value);
    if (is_point && axis.holds(row.value)) lines.points.emplace_back(axis.share(row.value), y);
    y += kRowHeight;
  }
  chart.segments(lines.outer, "outer");
  chart.segments(lines.inner, "inner");
  chart.segments(lines.struck, "inner weak");
  if (has_caps) chart.segments(lines.caps, "cap");
  chart.dots(lines.points, "point");
}

void draw_mark(Chart& chart, const Axis& axis, const ForestRow& row, double y) {
  if (std::isfinite(row.value) && !axis.holds(row.value)) {
    const bool is_left = row.value < axis.low;
    chart.text(is_left ? 0 : 1, y + 4, is_left ? "start" : "end", is_left ? "◀ beyond" : "beyond ▶",
               "tick");
  } else if (std::isfinite(row.value) && row.is_reference) {
    chart.mark(Marker::kSquare, axis.share(row.value), y, "dot");
  }
  if (row.truth && axis.holds(*row.truth)) {
    chart.mark(Marker::kDiamond, axis.share(*row.truth), y, "truth");
  }
}

/// Unreliable values, as crosses.
void draw_crosses(Chart& chart, const Axis& axis, std::span<const ForestRow> rows) {
  chart.open_group("fail middle");
  double y = kTop + kLineAt + 4;
  for (const ForestRow& row : rows) {
    if (row.is_struck && std::isfinite(row.value) && axis.holds(row.value)) {
      chart.text(axis.share(row.value), y, "start", "✕");
    }
    y += kRowHeight;
  }
  chart.close_group();
}

void draw_labels(Chart& chart, std::span<const ForestRow> rows, bool has_values) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const ForestRow& row : rows) names.push_back(row.label);
  const std::vector<std::string> labels = label_texts(names, kLongestLabel);
  double y = kTop + 14;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // The cross marks the failure; striking the label through would make it hard to read.
    const std::string mark = rows[i].is_struck ? "✕ " : "";
    chart.text(0, y, "start", mark + labels[i], rows[i].is_struck ? "soft" : "");
    if (has_values) chart.text(1, y, "end", number_text(rows[i].value));
    y += kRowHeight;
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
    chart.segments(std::vector{vertical(x, kTop, bottom)}, "reference");
  }
  draw_lines(chart, axis, rows, !look.is_brief);
  double top = kTop;
  for (const ForestRow& row : rows) {
    draw_mark(chart, axis, row, top + kLineAt);
    top += kRowHeight;
  }
  if (std::ranges::any_of(rows, &ForestRow::is_struck)) draw_crosses(chart, axis, rows);
  draw_labels(chart, rows, !look.is_brief);
  return chart.finish();
}

Html forest_legend(std::span<const ForestRow> rows, std::string_view inner_name,
                   std::string_view outer_name, std::string_view truth_name) {
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
    add(R"(<path d="M8 6l6-6 6 6-6 6z" class="truth"/>)", truth_name);
  }
  if (any([](const ForestRow& row) { return row.is_reference; })) {
    add(R"(<path d="M10 2h8v8h-8z" class="dot"/>)", "observed, not estimated");
  }
  if (any([](const ForestRow& row) { return row.is_struck; })) {
    add(R"(<text x="14" y="10" class="fail middle">✕</text>)", "fails its diagnostics");
  }
  return html("<p class=\"legend\">{}</p>\n", legend);
}

}  // namespace cone::report

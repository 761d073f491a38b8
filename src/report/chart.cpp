#include "report/chart.hpp"

#include <fmt/format.h>

namespace cone::report {
namespace {

/// A coordinate in as few letters as it needs: a report has thousands of them.
std::string short_number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string percent(double share) {
  std::string text = fmt::format("{:.2f}", 100 * share);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + '%';
}

constexpr double kPathWidth = 1000;  // units of a stretched path

std::string_view marker_path(Marker marker) {
  switch (marker) {
    case Marker::kDiamond:
      return "M-5.5 0L0-5.5 5.5 0 0 5.5z";
    case Marker::kSquare:
      return "M-4-4H4V4H-4z";
    case Marker::kTriangle:
      return "M-5 4L0-5 5 4z";
    default:
      return "M-4-4L4 4M-4 4L4-4";
  }
}

}  // namespace

Chart::Chart(std::string_view title, std::string_view description, double height)
    : height_(height), title_(Html::text(title)), description_(Html::text(description)) {}

void Chart::line(double x1, double y1, double x2, double y2, const char* style) {
  marks_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" class="{}"/>)", percent(x1),
                        short_number(y1), percent(x2), short_number(y2), style);
}

void Chart::bar(double x, double width, double y, double height, const char* style) {
  marks_ += fmt::format(R"(<rect x="{}" width="{}" y="{}" height="{}" class="{}"/>)", percent(x),
                        percent(width), short_number(y), short_number(height), style);
}

void Chart::mark(Marker marker, double x, double y, const char* style) {
  if (marker == Marker::kCircle || marker == Marker::kRing) {
    marks_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" class="{}"/>)", percent(x),
                          short_number(y), marker == Marker::kRing ? 4 : 4.5, style);
    return;
  }
  marks_ += fmt::format(R"(<svg x="{}" y="{}"><path d="{}" class="{}"/></svg>)", percent(x),
                        short_number(y), marker_path(marker), style);
}

void Chart::path(std::span<const std::pair<double, double>> points, const char* style,
                 bool is_closed) {
  std::string steps;
  for (const auto& [x, y] : points) {
    steps += fmt::format("{}{} {}", steps.empty() ? 'M' : 'L', short_number(kPathWidth * x),
                         short_number(y));
  }
  if (steps.empty()) return;
  marks_ += fmt::format(
      R"(<svg viewBox="0 0 {0} {1}" width="100%" height="{1}" preserveAspectRatio="none">)"
      R"(<path d="{2}{3}" class="{4}"/></svg>)",
      kPathWidth, short_number(height_), steps, is_closed ? "z" : "", style);
}

void Chart::text(double x, double y, const char* anchor, std::string_view words, const char* style,
                 double shift) {
  marks_ += fmt::format("<text x=\"{}\" y=\"{}\"", percent(x), short_number(y));
  if (shift != 0) marks_ += fmt::format(" dx=\"{}\"", short_number(shift));
  if (std::string_view(anchor) != "start") marks_ += fmt::format(" class=\"{} {}\"", anchor, style);
  if (std::string_view(anchor) == "start" && *style != '\0') {
    marks_ += fmt::format(" class=\"{}\"", style);
  }
  marks_ += fmt::format(">{}</text>", Html::text(words).markup());
}

void Chart::horizontal_axis(const Axis& axis, double top, double bottom, std::string_view name) {
  for (const double tick : axis.ticks) {
    const double x = axis.share(tick);
    line(x, top, x, bottom, "grid");
    text(x, bottom + 15, "middle", axis.tick_text(tick), "tick");
  }
  line(0, bottom, 1, bottom, "axis");
  if (!name.empty()) text(0.5, bottom + 32, "middle", name, "tick");
}

void Chart::vertical_axis(const Axis& axis, double top, double bottom, std::string_view name) {
  for (const double tick : axis.ticks) {
    const double y = bottom - axis.share(tick) * (bottom - top);
    line(0, y, 1, y, "grid");
    text(0, y + 4, "end", axis.tick_text(tick), "tick", -6);
  }
  if (!name.empty()) text(0, top - 10, "start", name, "tick", -44);
}

Html Chart::finish() const {
  return html(
      R"(<svg class="chart" role="img" width="100%" height="{}"><title>{}</title><desc>{}</desc>)"
      "{}</svg>\n",
      short_number(height_), title_, description_, Html::trusted(marks_));
}

}  // namespace cone::report

#include "report/chart.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace cone::report {
namespace {

/// A coordinate in as few characters as possible: a report has thousands of them.
std::string short_number(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  if (text == "-0") return "0";
  // ".5" is a valid number.
  if (text.starts_with("0.")) text.erase(0, 1);
  if (text.starts_with("-0.")) text.erase(1, 1);
  return text;
}

/// A thousandth of the width is less than a pixel.
std::string percent(double share) { return share == 0 ? "0" : short_number(100 * share) + '%'; }

/// The class attribute of an element, empty where it has none.
std::string class_text(std::string_view style) {
  return style.empty() ? "" : fmt::format(R"( class="{}")", style);
}

constexpr double kPathWidth = 1000;  // units of a stretched path

std::string_view marker_path(Marker marker) {
  switch (marker) {
    case Marker::kDiamond:
      return "M-5.5 0L0-5.5 5.5 0 0 5.5z";
    case Marker::kSquare:
      return "M-4-4H4V4H-4z";
    default:
      return "M-5 4L0-5 5 4z";
  }
}

}  // namespace

Chart::Chart(std::string_view title, std::string_view description, double height)
    : height_(height), title_(Html::text(title)), description_(Html::text(description)) {}

void Chart::line(double x1, double y1, double x2, double y2, const char* style) {
  marks_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}"{}/>)", percent(x1),
                        short_number(y1), percent(x2), short_number(y2), class_text(style));
}

void Chart::bar(double x, double width, double y, double height, const char* style) {
  marks_ += fmt::format(R"(<rect x="{}" width="{}" y="{}" height="{}"{}/>)", percent(x),
                        percent(width), short_number(y), short_number(height), class_text(style));
}

void Chart::mark(Marker marker, double x, double y, const char* style) {
  if (marker == Marker::kCircle || marker == Marker::kRing) {
    marks_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}"{}/>)", percent(x), short_number(y),
                          marker == Marker::kRing ? 6 : 4, class_text(style));
    return;
  }
  marks_ += fmt::format(R"(<svg x="{}" y="{}"><path d="{}"{}/></svg>)", percent(x), short_number(y),
                        marker_path(marker), class_text(style));
}

void Chart::add_stretched(const std::string& steps, const char* style) {
  if (!steps.empty()) paths_ += fmt::format(R"(<path d="{}" class="{}"/>)", steps, style);
}

void Chart::path(std::span<const std::pair<double, double>> points, const char* style,
                 bool is_closed) {
  // Relative steps are shorter than coordinates. They are differences of rounded coordinates, so
  // that rounding errors do not add up.
  std::string steps;
  double last_x = 0;
  double last_y = 0;
  for (const auto& point : points) {
    const double x = std::round(kPathWidth * point.first);
    const double y = std::round(10 * point.second) / 10;
    const std::string down = short_number(y - last_y);
    const bool is_first = steps.empty();
    steps += fmt::format("{}{}{}{}", is_first ? "M" : "l", short_number(x - last_x),
                         down.starts_with('-') ? "" : " ", down);
    last_x = x;
    last_y = y;
  }
  if (is_closed && !steps.empty()) steps += 'z';
  add_stretched(steps, style);
}

void Chart::segments(std::span<const Segment> segments, const char* style) {
  std::string steps;
  for (const Segment& s : segments) {
    steps += fmt::format("M{:.0f} {}", kPathWidth * s.x1, short_number(s.y1));
    if (s.y1 == s.y2) {
      steps += fmt::format("H{:.0f}", kPathWidth * s.x2);
    } else if (s.x1 == s.x2) {
      steps += fmt::format("V{}", short_number(s.y2));
    } else {
      steps += fmt::format("L{:.0f} {}", kPathWidth * s.x2, short_number(s.y2));
    }
  }
  add_stretched(steps, style);
}

void Chart::dots(std::span<const std::pair<double, double>> points, const char* style) {
  std::string steps;
  for (const auto& [x, y] : points) {
    steps += fmt::format("M{:.0f} {}h0", kPathWidth * x, short_number(y));
  }
  add_stretched(steps, style);
}

void Chart::open_group(const char* style) { marks_ += fmt::format("<g class=\"{}\">", style); }

void Chart::close_group() { marks_ += "</g>"; }

void Chart::text(double x, double y, const char* anchor, std::string_view words, const char* style,
                 double shift) {
  marks_ += "<text";
  if (x != 0) marks_ += fmt::format(" x=\"{}\"", percent(x));
  marks_ += fmt::format(" y=\"{}\"", short_number(y));
  if (shift != 0) marks_ += fmt::format(" dx=\"{}\"", short_number(shift));
  std::string classes = std::string_view(anchor) == "start" ? "" : anchor;
  if (*style != '\0') classes += (classes.empty() ? "" : " ") + std::string(style);
  marks_ += fmt::format("{}>{}</text>", class_text(classes), Html::text(words).markup());
}

void Chart::horizontal_axis(const Axis& axis, double top, double bottom, std::string_view name) {
  std::vector<Segment> grid;
  for (const double tick : axis.ticks) grid.push_back(vertical(axis.share(tick), top, bottom));
  segments(grid, "grid");
  segments(std::vector{Segment{0, bottom, 1, bottom}}, "axis");
  open_group("tick middle");
  for (const double tick : axis.ticks) {
    text(axis.share(tick), bottom + 15, "start", axis.tick_text(tick));
  }
  if (!name.empty()) text(0.5, bottom + 32, "start", name);
  close_group();
}

void Chart::vertical_axis(const Axis& axis, double top, double bottom, std::string_view name) {
  std::vector<Segment> grid;
  for (const double tick : axis.ticks) {
    const double y = bottom - axis.share(tick) * (bottom - top);
    grid.push_back({0, y, 1, y});
    text(0, y + 4, "end", axis.tick_text(tick), "tick", -6);
  }
  segments(grid, "grid");
  if (!name.empty()) text(0, top - 10, "start", name, "tick", -44);
}

Html Chart::content() const {
  if (paths_.empty()) return Html::trusted(marks_);
  return html(
      R"(<svg viewBox="0 0 {0} {1}" width="100%" height="{1}" preserveAspectRatio="none">{2}</svg>{3})",
      kPathWidth, short_number(height_), Html::trusted(paths_), Html::trusted(marks_));
}

Html Chart::finish() const {
  return html(R"(<svg class="chart" role="img" height="{}"><title>{}</title><desc>{}</desc>)"
              "{}</svg>\n",
              short_number(height_), title_, description_, content());
}

}  // namespace cone::report

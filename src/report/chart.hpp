#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/axis.hpp"
#include "report/html.hpp"

namespace cone::report {

/// Shapes: meaning must not depend on colour alone.
enum class Marker { kCircle, kRing, kDiamond, kSquare, kTriangle };

/// A line, in the units of a Chart.
struct Segment {
  double x1, y1, x2, y2;
};
inline Segment vertical(double x, double y1, double y2) { return {x, y1, x, y2}; }

/// A drawing as wide as its container: x is a share of the width, from 0 to 1, y is in pixels from
/// the top, so that text keeps its size on a phone. What lies to the left of x = 0 (the labels of
/// the vertical axis) is drawn in the padding of the container (class "wide-left"). `style` names
/// classes of the style sheet.
class Chart {
 public:
  Chart(std::string_view title, std::string_view description, double height);

  void line(double x1, double y1, double x2, double y2, const char* style);
  void bar(double x, double width, double y, double height, const char* style);
  void mark(Marker marker, double x, double y, const char* style);
  /// A line through points; with `is_closed`, an area.
  void path(std::span<const std::pair<double, double>> points, const char* style,
            bool is_closed = false);
  /// Many lines in one element.
  void segments(std::span<const Segment> segments, const char* style);
  /// Many round marks in one element; the style sets their size.
  void dots(std::span<const std::pair<double, double>> points, const char* style);
  /// Elements in between inherit the style of the group.
  void open_group(const char* style);
  void close_group();
  /// `anchor`: "start", "middle" or "end"; `shift` in pixels.
  void text(double x, double y, const char* anchor, std::string_view words, const char* style = "",
            double shift = 0);

  /// Ticks and their labels below `bottom`, and faint lines from there up to `top`.
  void horizontal_axis(const Axis& axis, double top, double bottom, std::string_view name);
  /// Ticks and their labels at the left, faint lines to the right.
  void vertical_axis(const Axis& axis, double top, double bottom, std::string_view name);

  /// For a page.
  Html finish() const;

  // For a file with several charts.
  double height() const { return height_; }
  const Html& title() const { return title_; }
  Html content() const;

 private:
  /// A path whose x runs from 0 to 1000, whatever the width.
  void add_stretched(const std::string& steps, const char* style);

  double height_;
  Html title_, description_;
  std::string paths_;  ///< stretched; drawn below everything else
  std::string marks_;
};

}  // namespace cone::report

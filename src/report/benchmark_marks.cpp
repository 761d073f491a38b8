#include "report/benchmark_marks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cone::report {
namespace {

constexpr double kNarrowestChart = 230;  // pixels: a phone of 320 less its margins
constexpr double kCharacterWidth = 7;
constexpr double kLabelHeight = 14;
constexpr double kBesideMark = 9;

/// Marks that share one label, to the right of the last or, near the right edge, left of the first.
struct MarkCluster {
  std::vector<NumberedMark> marks;

  double left() const { return std::ranges::min(marks, {}, &NumberedMark::x).x; }
  double right() const { return std::ranges::max(marks, {}, &NumberedMark::x).x; }
  double top() const { return std::ranges::min(marks, {}, &NumberedMark::y).y; }
  double bottom() const { return std::ranges::max(marks, {}, &NumberedMark::y).y; }
  double label_y() const { return (top() + bottom()) / 2; }
  bool is_at_right() const { return right() > 0.6; }
  std::string label() const {
    std::vector<std::size_t> numbers;
    for (const NumberedMark& mark : marks) numbers.push_back(mark.number);
    std::ranges::sort(numbers);
    return fmt::format("{}", fmt::join(numbers, ", "));
  }
  /// As shares of the width of a narrow chart.
  double label_width() const {
    return (kBesideMark + kCharacterWidth * static_cast<double>(label().size())) / kNarrowestChart;
  }
  double box_left() const { return left() - (is_at_right() ? label_width() : 0); }
  double box_right() const { return right() + (is_at_right() ? 0 : label_width()); }
};

bool overlap(const MarkCluster& a, const MarkCluster& b) {
  return a.box_left() < b.box_right() && b.box_left() < a.box_right() &&
         a.top() - kLabelHeight < b.bottom() && b.top() - kLabelHeight < a.bottom();
}

/// Merges clusters until no two overlap.
std::vector<MarkCluster> cluster_marks(std::span<const NumberedMark> marks) {
  std::vector<MarkCluster> clusters;
  for (const NumberedMark& mark : marks) {
    MarkCluster cluster{{mark}};
    for (auto other = clusters.begin(); other != clusters.end();) {
      if (!overlap(cluster, *other)) {
        ++other;
        continue;
      }
      cluster.marks.insert(cluster.marks.end(), other->marks.begin(), other->marks.end());
      clusters.erase(other);
      other = clusters.begin();  // larger now: it may overlap earlier ones
    }
    clusters.push_back(std::move(cluster));
  }
  return clusters;
}

}  // namespace

void draw_numbered_marks(Chart& chart, std::span<const NumberedMark> marks) {
  for (const NumberedMark& mark : marks) chart.mark(Marker::kTriangle, mark.x, mark.y, "three");
  for (const MarkCluster& cluster : cluster_marks(marks)) {
    const bool is_right = cluster.is_at_right();
    chart.text(is_right ? cluster.left() : cluster.right(), cluster.label_y() + 4,
               is_right ? "end" : "start", cluster.label(), "",
               is_right ? -kBesideMark : kBesideMark);
  }
}

}  // namespace cone::report

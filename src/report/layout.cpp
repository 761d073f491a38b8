#include "report/layout.hpp"

#include <algorithm>
#include <cmath>

namespace cone {
namespace {

constexpr int kSteps = 250;
constexpr double kGoldenAngle = 2.399963229728653;

/// Moves two nodes along the line between them: apart where `force` is positive.
void push(const std::vector<LayoutPoint>& points, std::size_t i, std::size_t j, double force,
          double distance, std::vector<LayoutPoint>& moves) {
  const double dx = (points[i].x - points[j].x) / distance * force;
  const double dy = (points[i].y - points[j].y) / distance * force;
  moves[i].x += dx;
  moves[i].y += dy;
  moves[j].x -= dx;
  moves[j].y -= dy;
}

double distance_of(const LayoutPoint& a, const LayoutPoint& b) {
  return std::max(1e-4, std::hypot(a.x - b.x, a.y - b.y));
}

/// Rescales the points to the unit square.
void fill_square(std::vector<LayoutPoint>& points) {
  for (double LayoutPoint::*axis : {&LayoutPoint::x, &LayoutPoint::y}) {
    double low = points.front().*axis;
    double high = low;
    for (const LayoutPoint& point : points) {
      low = std::min(low, point.*axis);
      high = std::max(high, point.*axis);
    }
    for (LayoutPoint& point : points) {
      point.*axis = high > low ? (point.*axis - low) / (high - low) : 0.5;
    }
  }
}

}  // namespace

std::vector<LayoutPoint> layout_nodes(std::size_t num_nodes, std::span<const LayoutEdge> edges) {
  std::vector<LayoutPoint> points(num_nodes);
  if (num_nodes == 0) return points;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const double radius =
        0.5 * std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(num_nodes));
    const double angle = kGoldenAngle * static_cast<double>(i);
    points[i] = {0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle)};
  }
  const double ideal = std::sqrt(1 / static_cast<double>(num_nodes));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<LayoutPoint> moves(num_nodes);
    for (std::size_t i = 0; i < num_nodes; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double distance = distance_of(points[i], points[j]);
        push(points, i, j, ideal * ideal / distance, distance, moves);
      }
    }
    for (const auto& [i, j] : edges) {
      const double distance = distance_of(points[i], points[j]);
      push(points, i, j, -distance * distance / ideal, distance, moves);
    }
    const double longest = 0.1 * (1 - static_cast<double>(step) / kSteps);
    for (std::size_t i = 0; i < num_nodes; ++i) {
      const double length = std::max(1e-12, std::hypot(moves[i].x, moves[i].y));
      const double scale = std::min(length, longest) / length;
      points[i].x += moves[i].x * scale;
      points[i].y += moves[i].y * scale;
    }
  }
  fill_square(points);
  return points;
}

}  // namespace cone

#include "simulate/geometric_network.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.hpp"
#include "simulate/network_streams.hpp"

namespace cone {
namespace {

struct Point {
  double x;
  double y;
};

/// Side of the largest square grid with at most as many cells as communities asked for, at least 1.
std::uint32_t cells_per_side(std::uint32_t communities) {
  return std::max(1U, static_cast<std::uint32_t>(std::sqrt(static_cast<double>(communities))));
}

}  // namespace

GeometricNetwork draw_geometric_network(const Context& context, const NetworkOptions& options) {
  const std::size_t n = options.nodes;
  std::vector<Point> points(n);
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(context.seed(), Stream::kNetwork, network_item(NetworkDraw::kPosition, i));
    points[i].x = rng.uniform();
    points[i].y = rng.uniform();
  }
  GeometricNetwork out;
  const std::uint32_t side = cells_per_side(options.communities);
  for (const Point& point : points) {
    const auto column = static_cast<std::uint32_t>(point.x * side);
    const auto row = static_cast<std::uint32_t>(point.y * side);
    out.community.push_back(row * side + column);
  }
  std::vector<Edge> edges;
  if (options.mean_degree > 0) {
    const double radius =
        std::sqrt(options.mean_degree / (static_cast<double>(n) * std::numbers::pi));
    // Cells as wide as the radius: neighbours lie in the same or an adjacent cell.
    const auto width = std::max<std::size_t>(
        1, std::min(static_cast<std::size_t>(1 / radius),
                    static_cast<std::size_t>(std::sqrt(static_cast<double>(n)))));
    const auto cell_of = [&](double coordinate) {
      return std::min(width - 1, static_cast<std::size_t>(coordinate * static_cast<double>(width)));
    };
    std::vector<std::vector<NodeIndex>> cells(width * width);
    for (std::size_t i = 0; i < n; ++i) {
      cells[cell_of(points[i].y) * width + cell_of(points[i].x)].push_back(
          static_cast<NodeIndex>(i));
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (i % 1024 == 0) context.poll();
      const std::size_t cx = cell_of(points[i].x);
      const std::size_t cy = cell_of(points[i].y);
      for (std::size_t y = cy == 0 ? 0 : cy - 1; y <= std::min(cy + 1, width - 1); ++y) {
        for (std::size_t x = cx == 0 ? 0 : cx - 1; x <= std::min(cx + 1, width - 1); ++x) {
          for (const NodeIndex j : cells[y * width + x]) {
            if (j <= i) continue;
            const double dx = points[i].x - points[j].x;
            const double dy = points[i].y - points[j].y;
            if (dx * dx + dy * dy <= radius * radius) {
              edges.push_back({static_cast<NodeIndex>(i), j});
            }
          }
        }
      }
    }
  }
  out.graph = build_graph(context, n, edges);
  return out;
}

}  // namespace cone

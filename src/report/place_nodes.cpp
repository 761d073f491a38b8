#include "report/place_nodes.hpp"

#include <algorithm>
#include <cmath>

namespace cone {
namespace {

constexpr int kSteps = 250;
constexpr double kGoldenAngle = 2.399963229728653;

/// Moves two nodes along the line between them: apart where `force` is positive.
void push(const std::vector<Place2>& places, std::size_t i, std::size_t j, double force,
          double distance, std::vector<Place2>& moves) {
  const double dx = (places[i].x - places[j].x) / distance * force;
  const double dy = (places[i].y - places[j].y) / distance * force;
  moves[i].x += dx;
  moves[i].y += dy;
  moves[j].x -= dx;
  moves[j].y -= dy;
}

double distance_of(const Place2& a, const Place2& b) {
  return std::max(1e-4, std::hypot(a.x - b.x, a.y - b.y));
}

/// Stretches the places over the unit square.
void fill_square(std::vector<Place2>& places) {
  for (double Place2::*axis : {&Place2::x, &Place2::y}) {
    double low = places.front().*axis;
    double high = low;
    for (const Place2& place : places) {
      low = std::min(low, place.*axis);
      high = std::max(high, place.*axis);
    }
    for (Place2& place : places) {
      place.*axis = high > low ? (place.*axis - low) / (high - low) : 0.5;
    }
  }
}

}  // namespace

std::vector<Place2> place_nodes(std::size_t num_nodes, std::span<const Tie> ties) {
  std::vector<Place2> places(num_nodes);
  if (num_nodes == 0) return places;
  for (std::size_t i = 0; i < num_nodes; ++i) {
    const double radius =
        0.5 * std::sqrt((static_cast<double>(i) + 0.5) / static_cast<double>(num_nodes));
    const double angle = kGoldenAngle * static_cast<double>(i);
    places[i] = {0.5 + radius * std::cos(angle), 0.5 + radius * std::sin(angle)};
  }
  const double ideal = std::sqrt(1 / static_cast<double>(num_nodes));
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Place2> moves(num_nodes);
    for (std::size_t i = 0; i < num_nodes; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double distance = distance_of(places[i], places[j]);
        push(places, i, j, ideal * ideal / distance, distance, moves);
      }
    }
    for (const auto& [i, j] : ties) {
      const double distance = distance_of(places[i], places[j]);
      push(places, i, j, -distance * distance / ideal, distance, moves);
    }
    const double longest = 0.1 * (1 - static_cast<double>(step) / kSteps);
    for (std::size_t i = 0; i < num_nodes; ++i) {
      const double length = std::max(1e-12, std::hypot(moves[i].x, moves[i].y));
      const double scale = std::min(length, longest) / length;
      places[i].x += moves[i].x * scale;
      places[i].y += moves[i].y * scale;
    }
  }
  fill_square(places);
  return places;
}

}  // namespace cone

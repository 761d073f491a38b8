#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "cone/learn.hpp"
#include "cone/text.hpp"

namespace cone {
namespace {

constexpr double kLargestBound = 0.01;
constexpr double kPartOfShare = 0.1;

}  // namespace

PropensityBounds PropensityBounds::of(std::vector<double> low) {
  PropensityBounds out{.low = std::move(low)};
  for (std::size_t a = 0; a < out.low.size(); ++a) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t other = 0; other < out.low.size(); ++other) {
      if (other != a) least = std::min(least, out.low[other]);
    }
    out.high.push_back(1 - least);
  }
  return out;
}

PropensityBounds PropensityBounds::same(double bound, std::size_t num_arms) {
  return of(std::vector<double>(num_arms, bound));
}

std::string PropensityBounds::lows_in_words() const {
  const auto [least, most] = std::ranges::minmax(low);
  return least == most ? sentence("{:g}", least) : sentence("{:.2g} to {:.2g}", least, most);
}

std::string PropensityBounds::in_words() const {
  const auto [least, most] = std::ranges::minmax(low);
  return least == most ? sentence("within [{:g}, {:g}]", least, 1 - least)
                       : fmt::format("above the bounds of their arms ({})", lows_in_words());
}

PropensityBounds choose_propensity_bounds(const Dataset& data, AutoNumber given) {
  if (given) return PropensityBounds::same(*given, data.num_arms());
  std::vector<double> low;
  for (const std::size_t size : data.arm_sizes()) {
    // Counts at least one node per arm: a bound of 0 would allow unbounded weights.
    const double share =
        std::max(static_cast<double>(size), 1.0) / static_cast<double>(data.num_nodes_of_all());
    low.push_back(std::min(kLargestBound, kPartOfShare * share));
  }
  return PropensityBounds::of(std::move(low));
}

PropensityTable bound_propensities(Matrix<double> probability, PropensityBounds bounds,
                                   const Communicator& comm) {
  PropensityTable out;
  out.e = probability;
  out.unbounded = std::move(probability);
  const std::size_t num_arms = out.e.cols();
  std::size_t num_moved = 0;
  for (std::size_t i = 0; i < out.e.rows(); ++i) {
    const std::span<double> row = out.e.row(i);
    for (std::size_t a = 1; a < num_arms; ++a) row[a] = bounds.clamp(a, row[a]);
    // With two arms the control arm's is one minus the other, so that they sum to 1 exactly.
    row[0] = num_arms == 2 ? 1 - row[1] : bounds.clamp(0, row[0]);
    const std::span<const double> before = std::as_const(out.unbounded).row(i);
    num_moved += std::equal(row.begin() + 1, row.end(), before.begin() + 1) &&
                         (num_arms == 2 || row[0] == before[0])
                     ? 0
                     : 1;
  }
  const double num_nodes = comm.count(out.e.rows());
  const double num_moved_total = comm.count(num_moved);
  if (num_nodes > 0) out.clipped_fraction = num_moved_total / num_nodes;
  out.bounds = std::move(bounds);
  return out;
}

}  // namespace cone

#include "inference/association.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

constexpr double kPermutationWork = 1e9;
constexpr double kFewestPermutations = 199;

/// Σ_{i, j friends} x_i·x_j / √(d_i·d_j), for x that is divided by √d already.
double sum_of_products(const Graph& graph, std::span<const NodeIndex> nodes,
                       std::span<const double> scaled) {
  double total = 0;
  for (const NodeIndex i : nodes) {
    double friends = 0;
    for (const NodeIndex j : graph.neighbours(i)) friends += scaled[j];
    total += scaled[i] * friends;
  }
  return total;
}

}  // namespace

NetworkAssociation measure_association(const Context& context, const Graph& graph,
                                       std::span<const double> values, std::uint64_t seed) {
  NetworkAssociation out;
  std::vector<NodeIndex> nodes;
  std::vector<double> scale(graph.num_nodes(), 0.0);
  std::vector<double> centred;
  for (NodeIndex i = 0; i < graph.num_nodes(); ++i) {
    if (graph.degree(i) == 0) continue;
    nodes.push_back(i);
    scale[i] = 1 / std::sqrt(static_cast<double>(graph.degree(i)));
    centred.push_back(values[i]);
  }
  if (nodes.size() < 3) return out;
  const double centre = mean(centred);
  const double spread = variance(centred, 0);
  if (!(spread > 0)) return out;
  for (double& v : centred) v -= centre;
  double total_weight = 0;
  for (const NodeIndex i : nodes) {
    for (const NodeIndex j : graph.neighbours(i)) total_weight += scale[i] * scale[j];
  }
  const auto moran_of = [&](std::span<const double> x) {
    std::vector<double> scaled(graph.num_nodes(), 0.0);
    for (std::size_t k = 0; k < nodes.size(); ++k) scaled[nodes[k]] = x[k] * scale[nodes[k]];
    return sum_of_products(graph, nodes, scaled) / (total_weight * spread);
  };
  out.moran = moran_of(centred);
  const double work = static_cast<double>(graph.neighbours().size() + graph.num_nodes());
  if (kPermutationWork / work < kFewestPermutations) {
    // So many ties that the normal distribution is as good.
    double squares = 0;
    for (const NodeIndex i : nodes) {
      for (const NodeIndex j : graph.neighbours(i)) {
        squares += scale[i] * scale[i] * scale[j] * scale[j];
      }
    }
    const double sd = std::sqrt(2 * squares) / total_weight;
    out.p = 0.5 * std::erfc(out.moran / sd / std::numbers::sqrt2);
    return out;
  }
  out.permutations = static_cast<int>(std::min(kPermutationWork / work, 999.0));
  const auto count = static_cast<std::size_t>(out.permutations);
  const std::vector<int> reached =
      context.map_ranges<int>(count, 1, [&](std::size_t begin, std::size_t) {
        std::vector<double> shuffled = centred;
        Rng rng(seed, Stream::kDependence, 1000 + begin);
        for (std::size_t k = shuffled.size(); k > 1; --k) {
          std::swap(shuffled[k - 1], shuffled[rng.below(k)]);
        }
        return moran_of(shuffled) >= out.moran ? 1 : 0;
      });
  int exceeding = 0;
  for (const int r : reached) exceeding += r;
  out.p = (1.0 + exceeding) / (1.0 + out.permutations);
  return out;
}

}  // namespace cone

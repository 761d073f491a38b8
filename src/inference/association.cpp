#include "inference/association.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

constexpr double kFewestPermutations = 199;
constexpr double kMostPermutations = 999;

/// Σ_{i, j neighbours} x_i·x_j / √(d_i·d_j), for x that is divided by √d already.
double sum_of_products(const Graph& graph, std::span<const NodeIndex> nodes,
                       std::span<const double> scaled) {
  double total = 0;
  for (const NodeIndex i : nodes) {
    double neighbours = 0;
    for (const NodeIndex j : graph.neighbours(i)) neighbours += scaled[j];
    total += scaled[i] * neighbours;
  }
  return total;
}

/// p by the normal approximation. `squares`: Σ 1/(d_i·d_j) over neighbours.
double normal_p(double moran, double total_weight, double squares) {
  const double sd = std::sqrt(2 * squares) / total_weight;
  return 0.5 * std::erfc(moran / sd / std::numbers::sqrt2);
}

/// Every rank has the global network; permutations are divided among the ranks of `comm`. With 0
/// permutations p is by the normal approximation.
NetworkAssociation associate_local(const Context& context, const Graph& graph,
                                   std::span<const double> values, std::uint64_t seed,
                                   std::size_t num_permutations, const Communicator& comm) {
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
  if (num_permutations == 0) {
    double squares = 0;
    for (const NodeIndex i : nodes) {
      for (const NodeIndex j : graph.neighbours(i)) {
        squares += scale[i] * scale[i] * scale[j] * scale[j];
      }
    }
    out.p = normal_p(out.moran, total_weight, squares);
    return out;
  }
  out.permutations = static_cast<int>(num_permutations);
  const std::vector<int> reached =
      context.map_ranges<int>(num_permutations, 1, [&](std::size_t number, std::size_t) {
        if (number % comm.size() != comm.rank()) return 0;  // another rank's
        std::vector<double> shuffled = centred;
        Rng rng(seed, Stream::kDependence, 1000 + number);
        for (std::size_t k = shuffled.size(); k > 1; --k) {
          std::swap(shuffled[k - 1], shuffled[rng.below(k)]);
        }
        return moran_of(shuffled) >= out.moran ? 1 : 0;
      });
  double exceeding = 0;
  for (const int r : reached) exceeding += r;
  out.p = (1.0 + comm.allreduce(exceeding)) / (1.0 + out.permutations);
  return out;
}

/// Every rank has its own rows: Moran's I from sums over neighbours, p by the normal approximation.
NetworkAssociation associate_distributed(const Context& context, const Neighbourhood& network,
                                         std::span<const double> values, const Communicator& comm) {
  NetworkAssociation out;
  std::vector<double> of_nodes;  // that have neighbours
  for (std::size_t i = 0; i < network.size(); ++i) {
    if (network.degree(i) > 0) of_nodes.push_back(values[i]);
  }
  if (comm.count(of_nodes.size()) < 3) return out;
  const double centre = mean(of_nodes, comm);
  const double spread = variance(of_nodes, 0, comm);
  if (!(spread > 0)) return out;
  // Per node: 1/√d, the value over √d, 1/d.
  Matrix<double> x(network.size(), 3);
  for (std::size_t i = 0; i < network.size(); ++i) {
    if (network.degree(i) == 0) continue;
    x(i, 0) = 1 / std::sqrt(static_cast<double>(network.degree(i)));
    x(i, 1) = (values[i] - centre) * x(i, 0);
    x(i, 2) = x(i, 0) * x(i, 0);
  }
  Matrix<double> neighbours(network.size(), 3);
  network.add_neighbours(context, x, neighbours);
  std::array<double, 3> sums = {};
  for (std::size_t c = 0; c < sums.size(); ++c) {
    CompensatedSum total;
    for (std::size_t i = 0; i < x.rows(); ++i) total.add(x(i, c) * neighbours(i, c));
    sums[c] = total.value();
  }
  comm.allreduce(sums);
  out.moran = sums[1] / (sums[0] * spread);
  out.p = normal_p(out.moran, sums[0], sums[2]);
  return out;
}

}  // namespace

NetworkAssociation measure_association(const Context& context, const Neighbourhood& network,
                                       std::span<const double> values, std::uint64_t seed,
                                       const Communicator& comm, double permutation_work) {
  const double work = static_cast<double>(network.num_edge_ends() + network.num_nodes());
  const double affordable = permutation_work / work;
  // With so many edges the normal approximation is accurate.
  const bool permutes = affordable >= kFewestPermutations;
  if (!permutes && comm.has_others()) return associate_distributed(context, network, values, comm);
  const auto count =
      permutes ? static_cast<std::size_t>(std::min(affordable, kMostPermutations)) : 0;
  return associate_local(context, network.global_graph(), network.gather(values), seed, count,
                         comm);
}

}  // namespace cone

#include "simulate/network_population.hpp"

#include <cmath>
#include <utility>

#include "cone/simulate.hpp"

#include "base/numeric.hpp"
#include "simulate/network_streams.hpp"

namespace cone {
namespace {

/// The density ∝ x^−exponent on [low, high], with low chosen for a given mean.
class BoundedPareto {
 public:
  BoundedPareto(double exponent, double mean, double high)
      : high_(high), inverse_power_(1.0 / (1.0 - exponent)) {
    // mean / high as a function of low / high is increasing: bisect on its logarithm.
    const auto relative_mean = [&](double low) {
      return (exponent - 1.0) / (exponent - 2.0) * (std::pow(low, 2.0 - exponent) - 1.0) /
             (std::pow(low, 1.0 - exponent) - 1.0);
    };
    double below = std::log(1e-12);
    double above = std::log(1.0 - 1e-6);
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (below + above);
      (relative_mean(std::exp(middle)) < mean / high ? below : above) = middle;
    }
    low_power_ = std::pow(std::exp(below), 1.0 - exponent);
  }

  double quantile(double u) const {
    return high_ * std::pow(low_power_ + u * (1.0 - low_power_), inverse_power_);
  }

 private:
  double high_;
  double inverse_power_;
  double low_power_ = 0;  // (low / high)^(1 − exponent)
};

}  // namespace

double Population::probability_within() const {
  CompensatedSum total;
  CompensatedSum squares;
  for (const std::vector<NodeIndex>& nodes : members) {
    CompensatedSum mass;
    for (const NodeIndex i : nodes) mass.add(weight[i]);
    total.add(mass.value());
    squares.add(mass.value() * mass.value());
  }
  return squares.value() / (total.value() * total.value());
}

std::size_t num_connected(const NetworkOptions& options) {
  if (options.mean_degree == 0) return 0;
  return options.nodes -
         static_cast<std::size_t>(std::llround(options.isolated_fraction * options.nodes));
}

std::uint64_t num_edges_wanted(const NetworkOptions& options) {
  return static_cast<std::uint64_t>(std::llround(options.mean_degree * options.nodes / 2.0));
}

Population draw_population(const Context& context, const NetworkOptions& options) {
  Population out;
  out.arrivals = Rng(context.seed(), Stream::kNetwork, network_item(NetworkDraw::kOrder, 0))
                     .permutation(options.nodes);
  out.arrivals.resize(num_connected(options));

  const auto connected = static_cast<double>(out.arrivals.size());
  const auto ends = 2.0 * static_cast<double>(num_edges_wanted(options));
  const double ends_after_tree = ends - 2.0 * (connected - 1.0);
  const BoundedPareto pareto(options.degree_exponent, ends_after_tree / connected, std::sqrt(ends));
  out.community.resize(options.nodes);
  out.weight.resize(options.nodes);
  constexpr std::size_t kNodesPerPiece = 8192;
  context.for_each_range(options.nodes, kNodesPerPiece, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      Rng rng(context.seed(), Stream::kNetwork, network_item(NetworkDraw::kNode, i));
      out.community[i] = static_cast<std::uint32_t>(rng.below(options.communities));
      out.weight[i] = pareto.quantile(rng.uniform());
    }
  });

  if (out.arrivals.empty()) return out;  // no edges, no nodes to draw from
  out.members.resize(options.communities);
  for (const NodeIndex i : out.arrivals) out.members[out.community[i]].push_back(i);
  out.member_tables.resize(options.communities);
  std::vector<double> mass(options.communities, 0.0);
  context.for_each_range(options.communities, 1, [&](std::size_t g, std::size_t) {
    if (out.members[g].empty()) return;
    std::vector<double> weights;
    weights.reserve(out.members[g].size());
    for (const NodeIndex i : out.members[g]) weights.push_back(out.weight[i]);
    mass[g] = sum(weights);
    out.member_tables[g] = AliasTable(weights);
  });
  out.community_table = AliasTable(mass);
  return out;
}

}  // namespace cone

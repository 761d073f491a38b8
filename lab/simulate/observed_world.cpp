#include "simulate/observed_world.hpp"

#include <cmath>
#include <vector>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "simulate/simulation_items.hpp"

namespace cone {
namespace {

void standardise(std::vector<double>& values) {
  const double centre = mean(values);
  const double sd = std::sqrt(variance(values, 0));
  for (double& v : values) v = sd > 0 ? (v - centre) / sd : 0.0;
}

}  // namespace

ArmValues observed_scores(const Context& context, const Graph& graph,
                          MatrixView<const double> numeric_features, const OutcomeOptions& options,
                          std::uint64_t simulation) {
  const std::size_t n = graph.num_nodes();
  ArmValues scores;
  for (int arm = 0; arm < options.arms; ++arm) {
    Rng rng(context.seed(), Stream::kCentroid,
            simulation | (1ULL + static_cast<std::uint64_t>(arm)) << kItemBits);
    std::vector<double> direction(numeric_features.cols());
    for (double& d : direction) d = rng.normal();
    std::vector<double> own(n);
    for (std::size_t i = 0; i < n; ++i) own[i] = dot(numeric_features.row(i), direction);
    std::vector<double> neighbours(n, 0.0);
    for (NodeIndex i = 0; i < n; ++i) {
      for (const NodeIndex j : graph.neighbours(i)) neighbours[i] += own[j];
    }
    standardise(own);
    standardise(neighbours);
    for (std::size_t i = 0; i < n; ++i) {
      own[i] = 0.5 * (options.kappa1 * own[i] + options.kappa2 * neighbours[i]);
    }
    scores.push_back(std::move(own));
  }
  return scores;
}

}  // namespace cone

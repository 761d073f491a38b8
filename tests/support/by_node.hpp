#pragma once

#include <vector>

#include "cone/learn.hpp"

#include "base/numeric.hpp"

namespace cone::testing {

/// Fitted nuisances of both arms, one value per node of the data; NaN where not scored.
struct ByNode {
  std::vector<NodeIndex> scored;
  std::vector<double> mu0, mu1, probability;
  Nuisances learnt;
};

inline std::vector<double> spread(MatrixView<const double> table, Arm arm,
                                  const std::vector<NodeIndex>& scored, std::size_t num_nodes) {
  std::vector<double> values(num_nodes, kNaN);
  for (std::size_t k = 0; k < scored.size(); ++k) values[scored[k]] = table(k, arm);
  return values;
}

inline ByNode by_node(Nuisances learnt, std::vector<NodeIndex> scored, std::size_t num_nodes) {
  ByNode out{.scored = std::move(scored), .learnt = std::move(learnt)};
  if (out.learnt.outcome) {
    out.mu0 = spread(out.learnt.outcome->mu.view(), 0, out.scored, num_nodes);
    out.mu1 = spread(out.learnt.outcome->mu.view(), 1, out.scored, num_nodes);
  }
  if (out.learnt.propensity) {
    out.probability = spread(out.learnt.propensity->e.view(), 1, out.scored, num_nodes);
  }
  return out;
}

}  // namespace cone::testing

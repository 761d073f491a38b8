#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "support/small_world.hpp"

namespace cone::testing {

/// The treatment effect is x1, so the policy "by x1" ranks optimally; the kept column "random" is
/// noise. "all" and "none" treat every node and no node. The noise of a unit's two potential
/// outcomes is independent or, with `shares_noise`, the same.
inline SmallWorld ranked_world(std::size_t n, std::uint64_t item, bool shares_noise = false) {
  SmallWorld world = small_world(n, 0.5, 0, item);
  Dataset& data = world.data.observed;
  Matrix<double> truth(n, 2);
  Rng rng(29, Stream::kTest, item);
  data.kept.push_back({"random", {}});
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = data.features.matrix.row(i);
    truth(i, 0) = world.data.truth->outcomes()(i, 0);
    const double expected = x.at(0) - 0.5 * x.at(1);
    truth(i, 1) = (shares_noise ? truth(i, 0) : expected + 0.5 * rng.normal()) + x.at(1);
    data.outcome[i] = truth(i, data.treatment[i]);
    data.kept[0].values.push_back(rng.normal());
  }
  world.data.truth = Truth(std::move(truth));
  world.policies.push_back({"all", two_arm_probabilities(std::vector<double>(n, 1.0))});
  world.policies.push_back({"none", two_arm_probabilities(std::vector<double>(n, 0.0))});
  return world;
}

}  // namespace cone::testing

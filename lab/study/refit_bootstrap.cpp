#include "study/refit_bootstrap.hpp"

#include <cmath>
#include <cstddef>

#include "base/numeric.hpp"

namespace cone {

BootstrapSample draw_sample(const BootstrapWorld& world, const Dataset& data, Rng& rng) {
  const auto draw_sign = [&rng] { return rng.bernoulli(0.5) ? 1.0 : -1.0; };
  std::vector<double> sign_of_cluster;
  for (std::size_t k = 0; k < world.clusters.count; ++k) sign_of_cluster.push_back(draw_sign());
  BootstrapSample out{.data = data, .outcome = world.mu};
  for (std::size_t i = 0; i < data.num_nodes(); ++i) {
    const Arm own = data.treatment[i];
    const double sign =
        sign_of_cluster.empty() ? draw_sign() : sign_of_cluster[world.clusters.of[i]];
    for (std::size_t a = 0; a < data.num_arms(); ++a) {
      out.outcome(i, a) +=
          a == own ? sign * world.residual[i] : std::sqrt(world.noise(i, a)) * rng.normal();
    }
    out.data.outcome[i] = out.outcome(i, own);
  }
  return out;
}

double true_gain(const BootstrapSample& sample, MatrixView<const double> policy) {
  const std::vector<double>& weight = sample.data.weight;
  CompensatedSum total;
  CompensatedSum units;
  for (std::size_t i = 0; i < sample.outcome.rows(); ++i) {
    const double count = weight.empty() ? 1 : weight[i];
    units.add(count);
    total.add(-count * sample.data.outcome[i]);
    for (std::size_t a = 0; a < sample.outcome.cols(); ++a) {
      total.add(count * policy(i, a) * sample.outcome(i, a));
    }
  }
  return total.value() / units.value();
}

}  // namespace cone

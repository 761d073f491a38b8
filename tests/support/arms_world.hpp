#pragma once

#include <cmath>
#include <vector>

#include "cone/policy.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "support/small_data.hpp"
#include "support/small_world.hpp"

namespace cone::testing {

/// Logged data of `num_arms` arms on a ring: the propensity of arm a grows with a·x0, its outcome
/// is x0 + a·(0.5 + 0.3·x1) + noise. One policy that depends on x1, the softmax of a·x1/2.
inline SmallWorld arms_world(std::size_t n, std::size_t num_arms, std::uint64_t item) {
  Rng rng(31, Stream::kTest, item);
  SmallWorld world = small_world(n, 0, 0, item);
  Dataset& data = world.data.observed;
  data.arms.clear();
  for (std::size_t a = 0; a < num_arms; ++a) data.arms.push_back("arm" + std::to_string(a));
  Matrix<double> outcomes(n, num_arms);
  Matrix<double> policy(n, num_arms);
  data.propensity = Matrix<double>(n, num_arms);
  for (std::size_t i = 0; i < n; ++i) {
    const double x0 = data.features.matrix.row(i).at(0);
    const double x1 = data.features.matrix.row(i).at(1);
    const double noise = 0.5 * rng.normal();
    double total = 0;
    double policy_total = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      const auto arm = static_cast<double>(a);
      outcomes(i, a) = x0 + arm * (0.5 + 0.3 * x1) + noise;
      total += (*data.propensity)(i, a) = std::exp(0.4 * arm * x0);
      policy_total += policy(i, a) = std::exp(0.5 * arm * x1);
    }
    double u = rng.uniform();
    Arm drawn = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      (*data.propensity)(i, a) /= total;
      policy(i, a) /= policy_total;
      if (a > 0 && u >= (*data.propensity)(i, a - 1)) {
        u -= (*data.propensity)(i, a - 1);
        drawn = static_cast<Arm>(a);
      } else if (a > 0) {
        u = 0;
      }
    }
    data.treatment[i] = drawn;
    data.outcome[i] = outcomes(i, drawn);
  }
  data.mu = outcomes;
  world.data.truth = Truth(std::move(outcomes));
  world.policies.clear();
  world.policies.push_back({"by x1", std::move(policy)});
  return world;
}

/// The same data with arm a relabelled order[a].
inline SmallWorld with_arms_relabelled(const SmallWorld& world, const std::vector<Arm>& order) {
  SmallWorld out = world;
  Dataset& data = out.data.observed;
  const auto reorder = [&](const Matrix<double>& table) {
    Matrix<double> moved(table.rows(), table.cols());
    for (std::size_t i = 0; i < table.rows(); ++i) {
      for (std::size_t a = 0; a < order.size(); ++a) moved(i, order[a]) = table(i, a);
    }
    return moved;
  };
  for (Arm& arm : data.treatment) arm = order[arm];
  for (std::size_t a = 0; a < order.size(); ++a) {
    data.arms[order[a]] = world.data.observed.arms[a];
  }
  data.propensity = reorder(*world.data.observed.propensity);
  data.mu = reorder(*world.data.observed.mu);
  out.data.truth = Truth(*data.mu);
  out.policies[0].probability = reorder(world.policies[0].probability);
  return out;
}

/// The same data with the last arm split into two at random; the policy assigns half of it to each.
inline SmallWorld with_last_arm_split(const SmallWorld& world, std::uint64_t item) {
  SmallWorld out = world;
  Dataset& data = out.data.observed;
  const std::size_t k = data.num_arms();
  const auto widen = [&](const Matrix<double>& table, double share) {
    Matrix<double> wide(table.rows(), k + 1);
    for (std::size_t i = 0; i < table.rows(); ++i) {
      for (std::size_t a = 0; a < k; ++a) wide(i, a) = table(i, a);
      wide(i, k - 1) = share * table(i, k - 1);
      wide(i, k) = share * table(i, k - 1);
    }
    return wide;
  };
  Rng rng(37, Stream::kTest, item);
  for (Arm& arm : data.treatment) {
    if (std::size_t{arm} + 1 == k && rng.bernoulli(0.5)) arm = static_cast<Arm>(k);
  }
  data.arms.push_back("split");
  data.propensity = widen(*data.propensity, 0.5);
  data.mu = widen(*data.mu, 1);
  out.data.truth = Truth(*data.mu);
  out.policies[0].probability = widen(out.policies[0].probability, 0.5);
  return out;
}

}  // namespace cone::testing

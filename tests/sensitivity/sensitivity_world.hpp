#pragma once

#include <cstdint>
#include <vector>

#include "cone/sensitivity.hpp"

#include "base/random.hpp"

namespace cone::testing {

/// The arrays of a sensitivity analysis, owned.
struct SensitivityWorld {
  std::vector<Arm> arm;
  std::vector<double> outcome;
  Matrix<double> mu, e, scale, policy, other;

  LoggedTables tables() const { return {arm, outcome, mu.view(), e.view()}; }
  MarginalModel model() const { return {tables(), scale}; }
  Contrast value() const { return {.policy = policy.view()}; }
  Contrast from_logged_policy() const {
    return {.policy = policy.view(), .reference = Reference::kLogged};
  }
  Contrast difference() const {
    return {.policy = policy.view(), .reference = Reference::kPolicy, .against = other.view()};
  }
};

/// Random rows that sum to 1.
inline Matrix<double> draw_shares(Rng& rng, std::size_t n, std::size_t num_arms, double least) {
  Matrix<double> out(n, num_arms);
  for (std::size_t i = 0; i < n; ++i) {
    double total = 0;
    for (double& share : out.row(i)) total += share = least + rng.uniform();
    for (double& share : out.row(i)) share /= total;
  }
  return out;
}

/// Outcomes are mu + scale · noise; the tables are correct and there is no unmeasured confounding.
inline SensitivityWorld draw_world(std::uint64_t item, std::size_t n, std::size_t num_arms,
                                   bool is_binary = false) {
  Rng rng(7, Stream::kTest, item);
  SensitivityWorld out;
  out.e = draw_shares(rng, n, num_arms, 0.3);
  out.policy = draw_shares(rng, n, num_arms, 0);
  out.other = draw_shares(rng, n, num_arms, 0);
  out.mu = Matrix<double>(n, num_arms);
  out.scale = Matrix<double>(n, num_arms);
  for (std::size_t i = 0; i < n; ++i) {
    double left = rng.uniform();
    Arm t = 0;
    while (t + 1U < num_arms && left >= out.e(i, t)) left -= out.e(i, t++);
    out.arm.push_back(t);
    const double x = rng.normal();
    for (std::size_t a = 0; a < num_arms; ++a) {
      out.mu(i, a) = is_binary ? 0.1 + 0.8 * rng.uniform() : x + 0.5 * static_cast<double>(a);
      out.scale(i, a) = 0.5 + rng.uniform();
    }
    const double noise = rng.normal();
    out.outcome.push_back(is_binary ? (rng.bernoulli(out.mu(i, t)) ? 1.0 : 0.0)
                                    : out.mu(i, t) + out.scale(i, t) * noise);
  }
  return out;
}

}  // namespace cone::testing

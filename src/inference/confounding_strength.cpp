#include "inference/confounding_strength.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

constexpr double kOneSided = 1.6449;  // 95 %
/// A partial R² below this over n is not detected by a test at the 5 % level, even where both
/// models agree to the last digit because neither uses the network.
constexpr double kOverlooked = kOneSided * kOneSided;

/// Σ_a (1{T = a} − e_a)² of every node.
std::vector<double> squared_errors(const LoggedSample& sample, const Matrix<double>& e) {
  std::vector<double> out(sample.size(), 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sample.num_arms(); ++a) {
      const double error = (sample.arm[i] == a ? 1.0 : 0.0) - e(i, a);
      out[i] += error * error;
    }
  }
  return out;
}

void keep_within(const PropensityBounds& bounds, Matrix<double>& e) {
  for (std::size_t i = 0; i < e.rows(); ++i) {
    for (std::size_t a = 0; a < e.cols(); ++a) e(i, a) = bounds.clamp(a, e(i, a));
  }
}

/// ν_a²: mean of 2π_a²/e_a − 1{T=a}·π_a²/e_a². Its expectation is mean π_a²/e_a, half of which is a
/// lower bound on it here.
double squared_weights(const LoggedSample& sample, MatrixView<const double> policy,
                       const Matrix<double>& e, std::size_t a) {
  CompensatedSum expected;
  CompensatedSum corrected;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double p = policy(i, a);
    const double part = p * p / e(i, a);
    expected.add(part);
    corrected.add(2 * part - (sample.arm[i] == a ? part / e(i, a) : 0.0));
  }
  std::array<double, 2> sums = {corrected.value(), expected.value()};
  sample.comm->allreduce(sums);
  return std::max(sums[0], 0.5 * sums[1]) / sample.comm->count(sample.size());
}

/// The bias of an arm's mean, `size` at most, in the value of a policy or in a difference of two.
BiasBound direct_bias(const Communicator& comm, MatrixView<const double> policy, std::size_t arm,
                      int direction, double size) {
  bool adds = false;
  bool subtracts = false;
  for (std::size_t i = 0; i < policy.rows(); ++i) {
    adds = adds || policy(i, arm) > 0;
    subtracts = subtracts || policy(i, arm) < 0;
  }
  adds = comm.any(adds);
  subtracts = comm.any(subtracts);
  const auto is_possible = [&](int sign) {
    return direction == 0 || (direction == sign && adds) || (direction == -sign && subtracts);
  };
  return {is_possible(1) ? size : 0, is_possible(-1) ? size : 0};
}

}  // namespace

NetworkStrength measure_strength(const LoggedSample& sample, Matrix<double> features,
                                 Matrix<double> network, const PropensityBounds& bounds,
                                 std::span<const std::uint8_t> is_connected) {
  NetworkStrength out;
  const Communicator& comm = *sample.comm;
  const double n = comm.count(sample.size());
  const std::vector<double> by_features = squared_errors(sample, features);
  const std::vector<double> by_network = squared_errors(sample, network);
  std::vector<double> share(sample.num_arms(), 0.0);
  for (const Arm t : sample.arm) share[t] += 1 / n;
  comm.allreduce(share);
  double by_shares = 0;
  for (const double m : share) by_shares += m * (1 - m);
  const double short_error = mean(by_features, comm);
  out.r_squared_features = 1 - short_error / by_shares;
  out.r_squared_network = 1 - mean(by_network, comm) / by_shares;
  std::vector<double> gain;
  std::vector<double> short_errors;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    if (!is_connected.empty() && is_connected[i] == 0) continue;
    gain.push_back(by_features[i] - by_network[i]);
    short_errors.push_back(by_features[i]);
  }
  const double num_connected = comm.count(gain.size());
  out.connected_share = num_connected / n;
  const double error_of_connected = mean(short_errors, comm);
  out.added = mean(gain, comm) / error_of_connected;
  const double error = standard_error(gain, comm) / error_of_connected;
  const double overlooked = kOverlooked / num_connected;
  out.added_upper =
      std::clamp(std::max(std::max(0.0, out.added) + kOneSided * error, overlooked), 0.0, 0.99);
  out.is_clear = out.added > std::max(2 * error, overlooked);
  if (error > 0) out.p = upper_normal_tail(out.added / error);
  keep_within(bounds, features);
  keep_within(bounds, network);
  out.features = std::move(features);
  out.network = std::move(network);
  return out;
}

VerdictBasis choose_basis(bool is_randomised, const NetworkStrength* strength) {
  if (is_randomised) return VerdictBasis::kRandomised;
  return strength != nullptr && strength->is_clear && strength->connected_share >= kLeastConnected
             ? VerdictBasis::kBenchmark
             : VerdictBasis::kNothing;
}

ConfoundingBias bound_confounding_bias(const LoggedSample& sample, MatrixView<const double> policy,
                                       std::span<const double> residual,
                                       const NetworkStrength& strength) {
  const std::size_t num_arms = sample.num_arms();
  const double n = sample.comm->count(sample.size());
  double long_weights = 0;
  double short_weights = 0;
  std::vector<double> sizes;  // √(cf_y·σ²·ν²) of every arm
  std::vector<double> squares(num_arms, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    squares[sample.arm[i]] += residual[i] * residual[i] / n;
  }
  sample.comm->allreduce(squares);
  std::array<double, 2> sums{};
  auto& [tilted, plain] = sums;  // means of Σ_a π_a²(1 − e_a)/e_a² and of Σ_a π_a²/e_a
  for (std::size_t a = 0; a < num_arms; ++a) {
    const double with_network = squared_weights(sample, policy, strength.network, a);
    long_weights += with_network;
    short_weights += squared_weights(sample, policy, strength.features, a);
    const double share = strength.arms.empty() ? 1 : strength.arms[a].outcome_share;
    sizes.push_back(std::sqrt(share * squares[a] * with_network));
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const double e = strength.network(i, a);
      const double part = policy(i, a) * policy(i, a) / e;
      plain += part / n;
      tilted += part * (1 - e) / e / n;
    }
  }
  sample.comm->allreduce(sums);
  ConfoundingBias out;
  const double by_ratio = long_weights / short_weights - 1;
  const double by_share = strength.added_upper * tilted / plain;
  out.strength = std::max({0.0, by_ratio, by_share});
  for (std::size_t a = 0; a < num_arms; ++a) {
    const int direction = strength.arms.empty() ? 0 : strength.arms[a].direction;
    out.bound = out.bound +
                direct_bias(*sample.comm, policy, a, direction, std::sqrt(out.strength) * sizes[a]);
  }
  return out;
}

}  // namespace cone

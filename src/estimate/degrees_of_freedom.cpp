#include "estimate/degrees_of_freedom.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exec/statistics.hpp"

namespace cone {
namespace {

/// (Σ w²)² / Σ w⁴ of weights over the largest one; 0 without weight.
struct SquaredWeights {
  double squares = 0;
  double fourth_powers = 0;

  void add(double weight) {
    const double square = weight * weight;
    squares += square;
    fourth_powers += square * square;
  }
  double effective_number() const {
    return fourth_powers > 0 ? squares * squares / fourth_powers : 0;
  }
};

double largest_size(std::span<const double> values, const Communicator& comm) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  return comm.allreduce_max(largest);
}

/// Over all ranks, one per arm; `arm` is empty where all values belong to one.
std::vector<double> count_effective(std::span<const double> weights, std::span<const Arm> arm,
                                    std::size_t num_arms, const Communicator& comm) {
  const double largest = largest_size(weights, comm);
  std::vector<SquaredWeights> sums(num_arms);
  for (std::size_t i = 0; i < weights.size() && largest > 0; ++i) {
    sums[arm.empty() ? 0 : arm[i]].add(weights[i] / largest);
  }
  std::vector<double> flat;
  flat.reserve(2 * num_arms);
  for (const SquaredWeights& s : sums) flat.insert(flat.end(), {s.squares, s.fourth_powers});
  comm.allreduce(flat);
  std::vector<double> out;
  out.reserve(num_arms);
  for (std::size_t a = 0; a < num_arms; ++a) {
    out.push_back(SquaredWeights{flat[2 * a], flat[2 * a + 1]}.effective_number());
  }
  return out;
}

}  // namespace

std::vector<double> count_arm_degrees(const LoggedSample& sample, std::span<const double> weights,
                                      std::span<const double> noise_share) {
  const Communicator& comm = *sample.comm;
  const std::size_t num_arms = sample.num_arms();
  const std::vector<double> equal(sample.size(), 1.0);
  const bool has_weights = comm.any(!weights.empty());
  const std::vector<double> nodes = count_effective(equal, sample.arm, num_arms, comm);
  std::vector<double> effective = nodes;
  if (has_weights && comm.any(weights.size() != sample.size())) {
    const double all = count_effective(weights, {}, 1, comm).front();
    effective.assign(num_arms, all / static_cast<double>(num_arms));
  } else if (has_weights) {
    effective = count_effective(weights, sample.arm, num_arms, comm);
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    if (effective[a] == 0) effective[a] = nodes[a];  // only its predictions vary
    if (!noise_share.empty()) effective[a] *= std::max(noise_share[a], 1 - noise_share[a]);
    effective[a] = std::max(1.0, effective[a] - 1);
  }
  return effective;
}

double satterthwaite_degrees(const LoggedSample& sample, std::span<const double> contributions,
                             std::span<const double> arm_degrees) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const Communicator& comm = *sample.comm;
  const double largest = largest_size(contributions, comm);
  if (arm_degrees.empty() || !(largest > 0)) return kInfinite;
  std::vector<double> variance(arm_degrees.size(), 0.0);
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const double scaled = contributions[i] / largest;
    variance[sample.arm[i]] += scaled * scaled;
  }
  comm.allreduce(variance);
  double all = 0;
  for (const double v : variance) all += v;
  double inverse = 0;
  for (std::size_t a = 0; a < variance.size(); ++a) {
    inverse += variance[a] / all * (variance[a] / all) / arm_degrees[a];
  }
  return inverse > 0 ? 1 / inverse : kInfinite;  // NaN contributions have no degrees of freedom
}

}  // namespace cone

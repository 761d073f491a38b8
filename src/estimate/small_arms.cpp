#include "estimate/small_arms.hpp"

#include <cmath>
#include <vector>

#include "base/sentence.hpp"
#include "base/text.hpp"
#include "estimate/diagnose.hpp"
#include "estimate/weights.hpp"
#include "exec/totals.hpp"

namespace cone {
namespace {

// Rules of thumb: they decide when to warn (docs/inference.md has the coverage of the intervals).
constexpr double kFewOfArm = 50;
constexpr double kMuchOfVariance = 0.2;
// Share of the effective sample size of all arms together: above it, that total, which is shown,
// already reveals a small arm.
constexpr double kHiddenShare = 0.2;

/// Sums over the members of an arm, each scaled so that squares do not overflow.
struct ArmSums {
  double assigned = 0;  ///< the policy's probability of the arm, over all nodes
  double weight = 0;
  double squared_weight = 0;
  double variance = 0;

  double effective_sample_size() const {
    return squared_weight > 0 ? weight * weight / squared_weight : 0;
  }
};

/// Contribution of node i's outcome to the variance of the value, times (n · scale)²: by the
/// residual variance of the node's arm, as a model may count part of its residuals as effects not
/// yet learnt, so that error contributions are too small. Without an outcome model, by the
/// influence function.
double variance_of_node(const Evidence& evidence, std::span<const double> weights,
                        const Estimate& estimate, double scale, std::size_t i) {
  if (evidence.noise == nullptr) return std::pow(scale * estimate.parts.population[i], 2);
  return std::pow(scale * weights[i], 2) * (*evidence.noise)(i, evidence.sample.arm[i]);
}

/// Over all ranks.
std::vector<ArmSums> sum_arms(const Evidence& evidence, std::span<const double> weights,
                              const Estimate& estimate) {
  const LoggedSample& sample = evidence.sample;
  std::vector<ArmSums> sums(sample.num_arms());
  const double scale = scale_for_squares(weights, *sample.totals);
  const double error_scale = evidence.noise == nullptr
                                 ? scale_for_squares(estimate.parts.population, *sample.totals)
                                 : scale;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a].assigned += evidence.policy(i, a);
    ArmSums& own = sums[sample.arm[i]];
    own.weight += scale * weights[i];
    own.squared_weight += (scale * weights[i]) * (scale * weights[i]);
    own.variance += variance_of_node(evidence, weights, estimate, error_scale, i);
  }
  std::vector<double> flat;
  for (const ArmSums& s : sums) {
    flat.insert(flat.end(), {s.assigned, s.weight, s.squared_weight, s.variance});
  }
  sample.totals->allreduce(flat);
  for (std::size_t a = 0; a < sums.size(); ++a) {
    sums[a] = {flat[4 * a], flat[4 * a + 1], flat[4 * a + 2], flat[4 * a + 3]};
  }
  return sums;
}

}  // namespace

void diagnose_small_arms(const Evidence& evidence, std::span<const double> weights, Estimate& out) {
  const LoggedSample& sample = evidence.sample;
  if (!has_interval(out) || weights.size() != sample.size()) return;
  const double effective_sample_size =
      out.effective_sample_size.value_or(sample.totals->count(sample.size()));
  const std::vector<ArmSums> sums = sum_arms(evidence, weights, out);
  double all = 0;
  for (const ArmSums& arm : sums) all += arm.variance;
  for (std::size_t a = 0; a < sums.size(); ++a) {
    const double few = sums[a].effective_sample_size();
    const double share = all > 0 ? sums[a].variance / all : 0;
    if (sums[a].assigned == 0 || few >= kFewOfArm || few >= kHiddenShare * effective_sample_size ||
        share < kMuchOfVariance) {
      continue;
    }
    out.warnings.push_back(sentence(
        "effective sample size {:.0f} in arm '{}', which contributes {:.0f} % of the variance: the "
        "normal approximation may be poor and the interval too narrow (docs/inference.md, \"Few "
        "units of an arm\")",
        few, printable(sample.arms[a]), 100 * share));
  }
}

}  // namespace cone

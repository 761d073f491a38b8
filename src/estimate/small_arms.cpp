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

// Rules of thumb: they decide when to speak (docs/inference.md has how often intervals held).
constexpr double kFewOfArm = 50;
constexpr double kMuchOfVariance = 0.2;
// Of the effective nodes of all arms together: beyond it that number, which is shown, tells as
// much.
constexpr double kHiddenShare = 0.2;

/// Sums over the members of an arm, each scaled so that squares do not overflow.
struct ArmSums {
  double given = 0;  ///< by the policy, over all nodes
  double weight = 0;
  double squared_weight = 0;
  double variance = 0;

  double effective_sample_size() const {
    return squared_weight > 0 ? weight * weight / squared_weight : 0;
  }
};

/// What the outcome of node i adds to the variance of the value, times (n · scale)². By the noise
/// that the model of the outcome leaves in the node's arm: a model may count part of its residuals
/// as effects that it has yet to learn, and there the parts of the error are small. Without a
/// model, by those.
double variance_of_node(const Evidence& evidence, std::span<const double> weights,
                        const Estimate& estimate, double scale, std::size_t i) {
  if (evidence.noise == nullptr) return std::pow(scale * estimate.parts.population[i], 2);
  return std::pow(scale * weights[i], 2) * (*evidence.noise)(i, evidence.sample.arm[i]);
}

/// Over all processes.
std::vector<ArmSums> sum_arms(const Evidence& evidence, std::span<const double> weights,
                              const Estimate& estimate) {
  const LoggedSample& sample = evidence.sample;
  std::vector<ArmSums> sums(sample.num_arms());
  const double scale = scale_for_squares(weights, *sample.totals);
  const double error_scale = evidence.noise == nullptr
                                 ? scale_for_squares(estimate.parts.population, *sample.totals)
                                 : scale;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sums.size(); ++a) sums[a].given += evidence.policy(i, a);
    ArmSums& own = sums[sample.arm[i]];
    own.weight += scale * weights[i];
    own.squared_weight += (scale * weights[i]) * (scale * weights[i]);
    own.variance += variance_of_node(evidence, weights, estimate, error_scale, i);
  }
  std::vector<double> flat;
  for (const ArmSums& s : sums) {
    flat.insert(flat.end(), {s.given, s.weight, s.squared_weight, s.variance});
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
    if (sums[a].given == 0 || few >= kFewOfArm || few >= kHiddenShare * effective_sample_size ||
        share < kMuchOfVariance) {
      continue;
    }
    out.warnings.push_back(sentence(
        "effective sample size {:.0f} in arm '{}', which makes {:.0f} % of the variance: the "
        "normal "
        "approximation may be poor and the interval too narrow (docs/inference.md, \"Few units of "
        "an arm\")",
        few, printable(sample.arms[a]), 100 * share));
  }
}

}  // namespace cone

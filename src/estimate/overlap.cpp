#include "estimate/overlap.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "base/sentence.hpp"
#include "estimate/diagnose.hpp"
#include "estimate/weights.hpp"
#include "exec/totals.hpp"

namespace cone {
namespace {

/// Nodes that the log never treated so may have any outcome. If theirs are off by one standard
/// deviation, the value is off by that times their share: speak up, and give up the interval, where
/// that is more than these many standard errors. (A bias of half a standard error makes an interval
/// of 95 % cover 92 %.) Fitted propensities have tails: a share of no consequence is usual there.
constexpr double kShareThatMatters = 0.1;
constexpr double kShareThatSpoilsIntervals = 0.5;
constexpr double kSurprisingMeanWeight = 3;  // standard errors

/// What the row does with nodes that the log never treated so.
const char* consequence(Method method, bool given) {
  switch (method) {
    case Method::kArmMeans:
      return "it takes them to be like the others";
    case Method::kInversePropensity:
    case Method::kClippedInversePropensity:
      return given ? "their outcomes count as 0" : "hardly any logged outcome speaks for them";
    case Method::kSelfNormalised:
      return given ? "the value is that of the others"
                   : "hardly any logged outcome speaks for them";
    case Method::kDirect:
    case Method::kDoublyRobust:
    case Method::kSwitch:
    case Method::kShrinkage:
    case Method::kCautiousCorrection:
      return "the outcome model extrapolates to them";
    case Method::kKernelBalancing:
      return "nodes unlike them stand in for them";
  }
  return "";
}

std::string unsupported_text(const EstimatorInfo& estimator, const PropensityTable& propensity,
                             const Overlap& overlap) {
  const double share = overlap.off_support_fraction;
  const std::string never =
      propensity.given()
          ? "never could (propensity 0)"
          : fmt::format("hardly ever did (propensity below {}{})",
                        propensity.bounds.lows_in_words(),
                        overlap.never_given_fraction > 0 ? ", or nobody of their kind" : "");
  const std::string percent =
      share < 0.995 ? sentence("{:.2g}", 100 * share) : sentence("{:.3g}", 100 * share);
  return fmt::format("the policy treats {} % of the nodes as the log {}: {}", percent, never,
                     consequence(estimator.method, propensity.given()));
}

}  // namespace

std::optional<Overlap> measure_overlap(const Evidence& evidence) {
  if (evidence.propensity == nullptr) return std::nullopt;
  const PropensityTable& propensity = *evidence.propensity;
  const MatrixView<const double> logged =
      propensity.given() ? propensity.e.view() : propensity.unbounded.view();
  CompensatedSum unsupported;
  CompensatedSum never_given;
  const bool knows_kinds = propensity.never_given.rows() == logged.rows();
  for (std::size_t i = 0; i < logged.rows(); ++i) {
    for (std::size_t a = 0; a < logged.cols(); ++a) {
      const bool never = knows_kinds && propensity.never_given(i, a) != 0;
      const bool hardly =
          logged(i, a) <= 0 || (!propensity.given() && logged(i, a) < propensity.bounds.low[a]);
      if (never) never_given.add(evidence.policy(i, a));
      if (never || hardly) unsupported.add(evidence.policy(i, a));
    }
  }
  const std::vector<double> weights =
      importance_weights(evidence.sample.arm, evidence.policy, propensity.e.view());
  // Of units, as far as they differ from 1: that nodes stand for more or fewer is no surprise.
  std::vector<double> surplus = weights;
  for (std::size_t i = 0; i < surplus.size() && !evidence.sample.weight.empty(); ++i) {
    surplus[i] -= evidence.sample.weight[i];
  }
  const Totals& totals = *evidence.sample.totals;
  const double num_nodes = totals.count(logged.rows());
  const auto share_of = [&](const CompensatedSum& total) {
    return std::min(1.0, totals.allreduce(total.value()) / num_nodes);
  };
  return Overlap{.mean_weight = mean(weights, totals),
                 .mean_weight_error = standard_error(surplus, totals),
                 .off_support_fraction = share_of(unsupported),
                 .never_given_fraction = share_of(never_given)};
}

bool diagnose_overlap(const EstimatorInfo& estimator, const Evidence& evidence, double scale,
                      Estimate& out) {
  const std::optional<Overlap> overlap = measure_overlap(evidence);
  if (!overlap) return false;
  const bool given = evidence.propensity->given();
  const double unsupported = overlap->off_support_fraction;
  out.mean_weight = overlap->mean_weight;
  out.off_support_fraction = unsupported;

  const double spread = std::sqrt(variance(evidence.sample.outcome, 0, *evidence.sample.totals));
  const double possible_shift = unsupported * spread;
  if (possible_shift > (given ? kShareThatMatters : kShareThatSpoilsIntervals) * scale) {
    out.warnings.push_back(unsupported_text(estimator, *evidence.propensity, *overlap));
  }
  // The weights of nodes that the log could treat as the policy does have mean 1 over repetitions.
  const double expected = given ? 1 - unsupported : 1;
  const double tolerance = kSurprisingMeanWeight * overlap->mean_weight_error + 1e-9;
  const double surplus = overlap->mean_weight - expected;
  // A propensity of 0 that is given is certain. A fitted one is a guess, which weights that fall
  // short of 1 confirm. That nobody of a kind was given the arm is a fact.
  const bool is_sure = given || surplus < -tolerance;
  const double limit = kShareThatSpoilsIntervals * scale;
  const bool lacks_nodes =
      (is_sure && possible_shift > limit) || overlap->never_given_fraction * spread > limit;
  // Regressions on features keep their interval, which holds if they do. The network ridge learns
  // its shape from the data, and there is none to learn from.
  if (!estimator.needs_propensity() && estimator.outcome != LearnerId::kNetworkRidge) {
    return lacks_nodes;
  }
  if (lacks_nodes && has_interval(out)) {
    drop_interval(out);
    const std::string why =
        is_sure && possible_shift > limit
            ? sentence("with a mean weight of {:.2g}, the log lacks part of what the policy does",
                       overlap->mean_weight)
            : sentence("nobody like {:.2g} % of the nodes was given what the policy gives them",
                       100 * overlap->never_given_fraction);
    out.warnings.push_back(
        fmt::format("no standard error: {}; dm_ridge has one, if its regression holds there", why));
  } else if (!lacks_nodes && !estimator.needs_propensity() && surplus < -tolerance) {
    out.warnings.push_back(sentence(
        "the mean weight is {:.3g}, not {:.3g} ± {:.2g}: the log lacks part of what the policy "
        "does, and the outcome model extrapolates to it",
        overlap->mean_weight, expected, overlap->mean_weight_error));
  } else if (!lacks_nodes && estimator.needs_propensity() && std::abs(surplus) > tolerance) {
    out.warnings.push_back(sentence(
        "the mean weight is {:.3g}, where right propensities give {:.3g} ± {:.2g}: they do not "
        "describe the log",
        overlap->mean_weight, expected, overlap->mean_weight_error));
  }
  return lacks_nodes;
}

}  // namespace cone

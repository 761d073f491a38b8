#include "estimate/overlap.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"

#include "base/numeric.hpp"
#include "estimate/diagnose.hpp"
#include "estimate/weights.hpp"

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
                             double share) {
  const std::string never =
      propensity.given() ? "never could (propensity 0)"
                         : fmt::format("hardly ever did (propensity below {:g})", propensity.bound);
  const std::string percent =
      share < 0.995 ? fmt::format("{:.2g}", 100 * share) : fmt::format("{:.3g}", 100 * share);
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
  for (std::size_t i = 0; i < logged.rows(); ++i) {
    for (std::size_t a = 0; a < logged.cols(); ++a) {
      const bool never =
          logged(i, a) <= 0 || (!propensity.given() && logged(i, a) < propensity.bound);
      if (never) unsupported.add(evidence.policy(i, a));
    }
  }
  const std::vector<double> weights =
      importance_weights(evidence.sample.arm, evidence.policy, propensity.e.view());
  return Overlap{.mean_weight = mean(weights),
                 .mean_weight_error = standard_error(weights),
                 .unsupported_fraction =
                     std::min(1.0, unsupported.value() / static_cast<double>(logged.rows()))};
}

bool diagnose_overlap(const EstimatorInfo& estimator, const Evidence& evidence, double scale,
                      Estimate& out) {
  const std::optional<Overlap> overlap = measure_overlap(evidence);
  if (!overlap) return false;
  const bool given = evidence.propensity->given();
  const double unsupported = overlap->unsupported_fraction;
  out.mean_weight = overlap->mean_weight;
  out.unsupported_fraction = unsupported;

  const double possible_shift = unsupported * std::sqrt(variance(evidence.sample.outcome, 0));
  if (possible_shift > (given ? kShareThatMatters : kShareThatSpoilsIntervals) * scale) {
    out.warnings.push_back(unsupported_text(estimator, *evidence.propensity, unsupported));
  }
  // The weights of nodes that the log could treat as the policy does have mean 1 over repetitions.
  const double expected = given ? 1 - unsupported : 1;
  const double tolerance = kSurprisingMeanWeight * overlap->mean_weight_error + 1e-9;
  const double surplus = overlap->mean_weight - expected;
  // A propensity of 0 that is given is certain. A fitted one is a guess, which weights that fall
  // short of 1 confirm.
  const bool lacks_nodes =
      (given || surplus < -tolerance) && possible_shift > kShareThatSpoilsIntervals * scale;
  if (!estimator.needs_propensity()) return lacks_nodes;
  if (lacks_nodes && has_interval(out)) {
    drop_interval(out);
    out.warnings.push_back(fmt::format(
        "no standard error: with a mean weight of {:.2g}, the log lacks part of what the policy "
        "does; dm_ridge has one, if its regression holds there",
        overlap->mean_weight));
  } else if (!lacks_nodes && std::abs(surplus) > tolerance) {
    out.warnings.push_back(fmt::format(
        "the mean weight is {:.3g}, where right propensities give {:.3g} ± {:.2g}: they do not "
        "describe the log",
        overlap->mean_weight, expected, overlap->mean_weight_error));
  }
  return lacks_nodes;
}

}  // namespace cone

#include "estimate/overlap.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "estimate/diagnose.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

/// Off-support nodes may have any outcome. If their outcomes are off by one standard deviation, the
/// value is off by that times their share: warn, and drop the interval, where this bias exceeds so
/// many standard errors. (With a bias of half a standard error a 95 % CI covers 92 %.) Fitted
/// propensities have tails: a small share is usual there.
constexpr double kShareThatMatters = 0.1;
constexpr double kShareThatSpoilsIntervals = 0.5;
constexpr double kSurprisingMeanWeight = 3;  // standard errors

/// What the estimator does with assignments off support.
const char* consequence(Method method, bool given) {
  switch (method) {
    case Method::kArmMeans:
      return "the arm means are assumed to hold for them";
    case Method::kInversePropensity:
    case Method::kClippedInversePropensity:
      return given ? "they count as 0" : "hardly any logged outcome informs them";
    case Method::kSelfNormalised:
      return given ? "the estimate is about the other assignments"
                   : "hardly any logged outcome informs them";
    case Method::kDirect:
    case Method::kJointModel:
    case Method::kDoublyRobust:
    case Method::kSwitch:
    case Method::kShrinkage:
    case Method::kCautiousCorrection:
      return "the outcome model extrapolates to them";
    case Method::kKernelBalancing:
      return "dissimilar nodes are weighted in their place";
  }
  return "";
}

std::string describe_violation(const EstimatorInfo& estimator, const PropensityTable& propensity,
                               const Overlap& overlap) {
  const double share = overlap.off_support_fraction;
  const std::string why =
      propensity.given() ? "propensity 0"
                         : fmt::format("propensity below {}{}", propensity.bounds.lows_in_words(),
                                       overlap.violation_fraction > 0
                                           ? ", or an arm that no comparable node received"
                                           : "");
  const std::string percent =
      share < 0.995 ? sentence("{:.2g}", 100 * share) : sentence("{:.3g}", 100 * share);
  return fmt::format(
      "positivity violation: {} % of the policy's assignments are off support ({}); {}", percent,
      why, consequence(estimator.method, propensity.given()));
}

}  // namespace

std::optional<Overlap> measure_overlap(const Evidence& evidence) {
  if (evidence.propensity == nullptr) return std::nullopt;
  const PropensityTable& propensity = *evidence.propensity;
  const MatrixView<const double> logged =
      propensity.given() ? propensity.e.view() : propensity.unbounded.view();
  CompensatedSum off_support;
  CompensatedSum violations;
  const bool has_violations = propensity.violates_positivity.rows() == logged.rows();
  for (std::size_t i = 0; i < logged.rows(); ++i) {
    for (std::size_t a = 0; a < logged.cols(); ++a) {
      const bool violates = has_violations && propensity.violates_positivity(i, a) != 0;
      const bool rare =
          logged(i, a) <= 0 || (!propensity.given() && logged(i, a) < propensity.bounds.low[a]);
      if (violates) violations.add(evidence.policy(i, a));
      if (violates || rare) off_support.add(evidence.policy(i, a));
    }
  }
  const std::vector<double> weights =
      importance_weights(evidence.sample.arm, evidence.policy, propensity.e.view());
  // Deviation from the expected weight, which is the survey weight where there is one.
  std::vector<double> surplus = weights;
  for (std::size_t i = 0; i < surplus.size() && !evidence.sample.weight.empty(); ++i) {
    surplus[i] -= evidence.sample.weight[i];
  }
  const Communicator& comm = *evidence.sample.comm;
  const double num_nodes = comm.count(logged.rows());
  const auto share_of = [&](const CompensatedSum& total) {
    return std::min(1.0, comm.allreduce(total.value()) / num_nodes);
  };
  return Overlap{.mean_weight = mean(weights, comm),
                 .mean_weight_error = standard_error(surplus, comm),
                 .off_support_fraction = share_of(off_support),
                 .violation_fraction = share_of(violations)};
}

bool diagnose_overlap(const EstimatorInfo& estimator, const Evidence& evidence, double scale,
                      Estimate& out) {
  const std::optional<Overlap> overlap = measure_overlap(evidence);
  if (!overlap) return false;
  const bool given = evidence.propensity->given();
  const double off_support = overlap->off_support_fraction;
  out.mean_weight = overlap->mean_weight;
  out.off_support_fraction = off_support;

  const double spread = std::sqrt(variance(evidence.sample.outcome, 0, *evidence.sample.comm));
  const double possible_shift = off_support * spread;
  if (possible_shift > (given ? kShareThatMatters : kShareThatSpoilsIntervals) * scale) {
    out.warnings.push_back(describe_violation(estimator, *evidence.propensity, *overlap));
  }
  // Importance weights on the support have expectation 1.
  const double expected = given ? 1 - off_support : 1;
  const double tolerance = kSurprisingMeanWeight * overlap->mean_weight_error + 1e-9;
  const double surplus = overlap->mean_weight - expected;
  // A given propensity of 0 is certain; a fitted one is an estimate, which a mean weight below 1
  // confirms. That no comparable node received the arm is observed.
  const bool is_sure = given || surplus < -tolerance;
  const double limit = kShareThatSpoilsIntervals * scale;
  const bool lacks_overlap =
      (is_sure && possible_shift > limit) || overlap->violation_fraction * spread > limit;
  // Regressions on features keep their interval, which is valid if their linear form is. The
  // network ridge learns its functional form from the data, and there are none here.
  if (!estimator.needs_propensity() && estimator.outcome != LearnerId::kNetworkRidge) {
    return lacks_overlap;
  }
  if (lacks_overlap && has_interval(out)) {
    drop_interval(out);
    const std::string why =
        is_sure && possible_shift > limit
            ? sentence("part of the policy is off support (mean importance weight {:.2g})",
                       overlap->mean_weight)
            : sentence("for {:.2g} % of the nodes no comparable node received the policy's arm",
                       100 * overlap->violation_fraction);
    out.warnings.push_back(
        fmt::format("no standard error: {}; dm_ridge has one, valid if its regression extrapolates "
                    "correctly",
                    why));
  } else if (!lacks_overlap && !estimator.needs_propensity() && surplus < -tolerance) {
    out.warnings.push_back(sentence(
        "the mean importance weight is {:.3g}, not {:.3g} ± {:.2g}: part of the policy is off "
        "support, and the outcome model extrapolates to it",
        overlap->mean_weight, expected, overlap->mean_weight_error));
  } else if (!lacks_overlap && estimator.needs_propensity() && std::abs(surplus) > tolerance) {
    out.warnings.push_back(sentence(
        "the mean importance weight is {:.3g}, where correct propensities give {:.3g} ± {:.2g}: "
        "the propensities are misspecified",
        overlap->mean_weight, expected, overlap->mean_weight_error));
  }
  return lacks_overlap;
}

}  // namespace cone

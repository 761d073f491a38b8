#include "estimate/diagnose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

// Rules of thumb: they decide when to warn, never what the value is.
constexpr double kLowEffectiveFraction = 0.1;
constexpr double kLowEffectiveSize = 20;
constexpr double kDominantWeightShare = 0.05;
constexpr double kForeignWeightShare = 0.02;  // kernel balancing: on arms the policy never assigns
constexpr double kDominantWeightFactor = 10;  // times an even share
constexpr double kChangeThatMatters = 0.1;    // standard errors
constexpr double kShareThatCounts = 0.01;     // of a policy, in an arm without any spread
constexpr double kManyImplausible = 0.01;
constexpr double kPoorFitFactor = 1.05;  // a useless model is a little worse than a constant

std::string of_nodes(double effective_size, double num_nodes) {
  const auto rounded = [](double size) { return static_cast<std::uint64_t>(std::llround(size)); };
  return fmt::format("effective sample size {} of {}", grouped(rounded(effective_size)),
                     grouped(rounded(num_nodes)));
}

/// `why` explains a low fraction of the nodes; a low absolute size needs no explanation.
void warn_of_low_size(double effective_size, double num_nodes, std::size_t num_arms,
                      const char* why, Estimate& out) {
  // With many arms each has a small share of the nodes by design.
  const double least = kLowEffectiveFraction * 2 / static_cast<double>(num_arms);
  if (effective_size < least * num_nodes) {
    out.warnings.push_back(of_nodes(effective_size, num_nodes) + why);
  } else if (effective_size < kLowEffectiveSize && !has_interval(out)) {
    out.warnings.push_back(sentence("effective sample size {:.0f}", effective_size));
  }
}

/// Share of the nodes whose weight a bound, a clip or a switch changed.
double changed_fraction(std::span<const double> raw, std::span<const double> used,
                        const Evidence& evidence, bool shrinks_all) {
  const PropensityBounds& bounds = evidence.propensity->bounds;
  const auto is_bounded = [&](std::size_t i) {
    for (std::size_t a = 0; a < bounds.low.size(); ++a) {
      const double p = evidence.propensity->e(i, a);
      if (bounds.low[a] > 0 && (p <= bounds.low[a] || p >= bounds.high[a])) return true;
    }
    return false;
  };
  double changed = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (is_bounded(i) || (!shrinks_all && used[i] != raw[i]))
      changed += evidence.sample.weight_of(i);
  }
  const Communicator& comm = *evidence.sample.comm;
  return comm.allreduce(changed) / comm.count(raw.size());
}

}  // namespace

bool has_interval(const Estimate& estimate) { return !std::isnan(estimate.standard_error); }

void drop_interval(Estimate& out) {
  out.standard_error = kNaN;
  out.sampling_interval = {kNaN, kNaN};
  out.population_standard_error = kNaN;
  out.population_sampling_interval = {kNaN, kNaN};
  out.sample_standard_error = kNaN;
  out.sample_sampling_interval = {kNaN, kNaN};
}

bool ValueChange::matters() const {
  return !std::isfinite(moved) || std::abs(moved) > kChangeThatMatters * scale;
}

std::string ValueChange::in_words(const Estimate& estimate) const {
  std::string words = sentence("by {:+.3g}", moved);
  if (has_interval(estimate) && estimate.standard_error > 0) {
    words += sentence(" ({:.2g} standard errors)", std::abs(moved) / estimate.standard_error);
  }
  return words;
}

void diagnose_weights(Method method, std::span<const double> raw, std::span<const double> used,
                      const Evidence& evidence, Estimate& out) {
  const Communicator& comm = *evidence.sample.comm;
  const double n = comm.count(raw.size());
  double effective_size = effective_sample_size(used, comm);
  if (method == Method::kCautiousCorrection && evidence.implied != nullptr) {
    // The value is that of the regression plus a shrunken correction: the smaller size counts.
    effective_size =
        std::min(effective_size, effective_sample_size(evidence.implied->weights, comm));
  }
  out.effective_sample_size = effective_size;
  double largest = -std::numeric_limits<double>::infinity();
  for (const double weight : used) largest = std::max(largest, weight);
  out.max_weight = comm.allreduce_max(largest);
  // Shrinkage touches every weight by design: only the bound on propensities counts there.
  out.clipped_fraction = changed_fraction(raw, used, evidence, method == Method::kShrinkage);

  warn_of_low_size(effective_size, n, evidence.sample.num_arms(),
                   ": the policy overlaps little with the logged policy", out);
  const double share = *out.max_weight / sum(used, comm);
  if (share > kDominantWeightShare && share > kDominantWeightFactor / n) {
    out.warnings.push_back(sentence(
        "one node carries {:.0f} % of the weight and dominates the estimate", 100 * share));
  }
}

void diagnose_bounded_weights(Method method, const Evidence& evidence, const ValueChange& change,
                              Estimate& out) {
  if (std::isnan(out.value) || !change.matters()) return;
  const std::string bound =
      evidence.propensity->given()
          ? ""
          : fmt::format("keeping propensities {}", evidence.propensity->bounds.in_words());
  std::string own;
  if (method == Method::kClippedInversePropensity) own = "clipping weights";
  if (method == Method::kSwitch) own = "dropping large weights";
  if (method == Method::kShrinkage) own = "shrinking weights";
  const std::string what = bound + (bound.empty() || own.empty() ? "" : " and ") + own;
  if (!std::isfinite(change.moved)) {
    out.warnings.push_back(fmt::format("without {} the estimate would be undefined", what));
  } else {
    out.warnings.push_back(fmt::format("{} moved the estimate {}", what, change.in_words(out)));
  }
}

void diagnose_predictions(const EstimatorInfo& estimator, const Evidence& evidence,
                          const ValueChange& change, Estimate& out) {
  const OutcomeTable& model = *evidence.outcome;
  const Communicator& comm = *evidence.sample.comm;
  if (std::isnan(out.value) || !comm.any(!model.implausible.empty())) return;
  const bool corrected = estimator.needs_propensity();  // then the logged arm counts as well
  std::vector<bool> is_implausible(evidence.sample.size(), false);
  for (const ImplausiblePrediction& p : model.implausible) {
    if (evidence.policy(p.row, p.arm) > 0 || (corrected && evidence.sample.arm[p.row] == p.arm)) {
      is_implausible[p.row] = true;
    }
  }
  const auto num_implausible =
      static_cast<std::size_t>(std::count(is_implausible.begin(), is_implausible.end(), true));
  const double share = comm.count(num_implausible) / comm.count(is_implausible.size());
  if (share <= kManyImplausible && !change.matters()) return;
  const std::string where = sentence(
      "predictions for {:.2g} % of the nodes lie far outside the range of observed outcomes",
      100 * share);
  out.warnings.push_back(
      model.bounded
          ? fmt::format("{}; truncating them moved the estimate {}", where, change.in_words(out))
          : fmt::format("{}; truncating them would move the estimate {}", where,
                        ValueChange{-change.moved, change.scale}.in_words(out)));
}

void diagnose_implied_weights(const Evidence& evidence, Estimate& out) {
  if (evidence.implied == nullptr) return;
  const std::vector<double>& weights = evidence.implied->weights;
  const Communicator& comm = *evidence.sample.comm;
  const double effective_size = effective_sample_size(weights, comm);
  std::size_t num_fitted = 0;
  double largest = 0;
  for (const double v : weights) {
    num_fitted += v != 0 ? 1 : 0;
    largest = std::max(largest, std::abs(v));
  }
  out.effective_sample_size = effective_size;
  out.max_weight = comm.allreduce_max(largest);
  warn_of_low_size(effective_size, comm.count(num_fitted), evidence.sample.num_arms(),
                   " in the regression: the outcome model extrapolates to the policy", out);
  if (!evidence.implied->converged) {
    out.warnings.emplace_back("the implied weights of the regression did not converge");
  }
  if (!std::isfinite(evidence.implied->variance)) {
    out.warnings.emplace_back("no standard error: the regression has as many parameters as nodes");
  }
}

void diagnose_arms(const Evidence& evidence, Estimate& out) {
  const LoggedSample& sample = evidence.sample;
  std::vector<double> num_nodes(sample.num_arms(), 0.0);
  std::vector<double> share(sample.num_arms(), 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    num_nodes[sample.arm[i]] += sample.weight_of(i) > 0 ? 1 : 0;
    for (std::size_t a = 0; a < share.size(); ++a) share[a] += evidence.policy(i, a);
  }
  sample.comm->allreduce(num_nodes);
  sample.comm->allreduce(share);
  for (std::size_t arm = 0; arm < share.size(); ++arm) {
    if (share[arm] == 0 || num_nodes[arm] >= 2) continue;
    drop_interval(out);
    out.warnings.push_back(fmt::format("no standard error: there is only one {} node",
                                       arm_adjective(sample.arms, static_cast<Arm>(arm))));
  }
}

void diagnose_constant_arms(const Evidence& evidence, Estimate& out) {
  const LoggedSample& sample = evidence.sample;
  for (std::size_t arm = 0; arm < sample.num_arms() && has_interval(out); ++arm) {
    double given = 0;
    constexpr double kNone = -std::numeric_limits<double>::infinity();
    std::array<double, 2> ends = {kNone, kNone};  // the largest outcome, and of the negated
    for (std::size_t i = 0; i < sample.size(); ++i) {
      given += evidence.policy(i, arm);
      if (sample.arm[i] != arm) continue;
      ends[0] = std::max(ends[0], sample.outcome[i]);
      ends[1] = std::max(ends[1], -sample.outcome[i]);
    }
    sample.comm->allreduce_max(ends);
    const double low = -ends[1];
    const double all = sample.comm->count(sample.size());
    if (sample.comm->allreduce(given) < kShareThatCounts * all || low != ends[0]) continue;
    drop_interval(out);
    out.warnings.push_back(sentence(
        "no standard error: all outcomes in arm {} are equal ({:.6g}), so their variance cannot be "
        "estimated; collect more outcomes or use an outcome that varies",
        printable(sample.arms[arm]), low));
  }
}

void diagnose_balance(const Evidence& evidence, std::span<const double> weights, Estimate& out) {
  double largest = 0;
  for (const double weight : weights) largest = std::max(largest, std::abs(weight));
  out.max_weight = largest;
  out.effective_sample_size = effective_sample_size(weights);
  warn_of_low_size(*out.effective_sample_size, static_cast<double>(weights.size()),
                   evidence.sample.num_arms(),
                   ": few logged nodes are comparable to the policy's assignments", out);
  double foreign = 0;  // on outcomes of an arm that the policy never assigns to that node
  double all = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double taken = evidence.policy(i, evidence.sample.arm[i]);
    all += std::abs(weights[i]);
    if (taken == 0) foreign += std::abs(weights[i]);
  }
  if (foreign > kForeignWeightShare * all) {
    out.warnings.push_back(sentence(
        "{:.0f} % of the weight lies on arms that the policy never assigns, as weights are "
        "normalised over all arms together: the estimate is biased towards the other arm{}",
        100 * foreign / all, evidence.sample.num_arms() > 2 ? "s" : ""));
  }
}

void diagnose_fit(const Evidence& evidence, Estimate& out) {
  const std::vector<double> errors =
      residuals(evidence.sample.arm, evidence.sample.outcome, evidence.outcome->mu.view());
  CompensatedSum squares;
  for (const double r : errors) squares.add(r * r);
  const Communicator& comm = *evidence.sample.comm;
  const double mean_square = comm.allreduce(squares.value()) / comm.count(errors.size());
  const double spread = variance(evidence.sample.outcome, 0, comm);
  if (mean_square > kPoorFitFactor * spread) {
    out.warnings.push_back(sentence("the outcome model predicts worse than a constant (R² {:.2f})",
                                    1 - mean_square / spread));
  }
}

}  // namespace cone

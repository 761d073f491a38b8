#include "diagnostics/stability.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "diagnostics/phrases.hpp"
#include "estimate/significance.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr double kSignificantSpread = 0.001;  // p
constexpr double kNotableSeeds = 0.5;         // of a standard error

/// The influences of the nodes that a task scored, task by task.
std::vector<std::vector<double>> group_by_fold(const FitPlan& plan, std::span<const double> parts) {
  std::vector<std::vector<double>> out;
  for (const FitTask& task : plan.tasks) {
    std::vector<double>& fold = out.emplace_back();
    for (const NodeIndex node : task.score) {
      const auto row = std::ranges::lower_bound(plan.scored, node) - plan.scored.begin();
      fold.push_back(parts[static_cast<std::size_t>(row)]);
    }
  }
  return out;
}

/// Design effect of the given clusters, which ranks may share, on the variance of a mean; at
/// least 1.
double design_effect_of_clusters(std::span<const double> parts,
                                 std::span<const std::uint32_t> cluster, const Communicator& comm) {
  if (comm.any(cluster.size() != parts.size())) return 1;
  const double centre = mean(parts, comm);
  std::uint64_t count = 0;
  for (const std::uint32_t c : cluster) count = std::max(count, std::uint64_t{c} + 1);
  std::vector<double> sums(comm.allreduce_max(count), 0.0);
  double own = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    sums[cluster[i]] += parts[i] - centre;
    own += (parts[i] - centre) * (parts[i] - centre);
  }
  comm.allreduce(sums);
  own = comm.allreduce(own);
  double together = 0;
  for (const double s : sums) together += s * s;
  return own > 0 ? std::max(1.0, together / own) : 1;
}

/// Sets the values by fold, and p of the hypothesis that all folds have the same value. The folds
/// share one variance, so that an outlier does not inflate only the variance of its own fold.
void compare_folds(const FitPlan& plan, const Estimate& estimate,
                   std::span<const std::uint32_t> cluster, const Communicator& comm,
                   PolicyStability& out) {
  const std::vector<double>& parts = estimate.parts.population;
  if (plan.tasks.size() < 2 || comm.any(parts.size() != plan.scored.size())) return;
  const double spread = variance(parts, 1, comm) * design_effect_of_clusters(parts, cluster, comm);
  const double centre = mean(parts, comm);
  std::vector<double> sums;  // of the parts, then how many, per fold
  for (const std::vector<double>& fold : group_by_fold(plan, parts)) {
    sums.insert(sums.end(), {sum(fold), static_cast<double>(fold.size())});
  }
  comm.allreduce(sums);
  double chi_squared = 0;
  for (std::size_t f = 0; f < plan.tasks.size(); ++f) {
    const double size = sums[2 * f + 1];
    const double of_fold = sums[2 * f] / size;
    // Residuals of a shrunken model do not sum to 0: without centring the folds would scatter
    // around another value.
    out.by_fold.push_back(estimate.value + of_fold - centre);
    chi_squared += (of_fold - centre) * (of_fold - centre) * size / spread;
  }
  if (!(spread > 0)) return;
  out.fold_p = chi_squared_tail(chi_squared, static_cast<double>(out.by_fold.size() - 1));
}

Verdict judge_stability(const PolicyStability& found, const Estimate& estimate) {
  std::vector<std::string> sentences;
  bool is_caution = false;
  if (!found.by_fold.empty()) {
    const bool disagree = do_folds_disagree(found);
    const auto [low, high] = std::ranges::minmax(found.by_fold);
    is_caution = disagree;
    constexpr double kConsistent = 0.05;
    sentences.push_back(sentence("estimates by fold range from {:.4g} to {:.4g}, {} ({})", low,
                                 high,
                                 disagree                      ? "more than sampling error explains"
                                 : found.fold_p >= kConsistent ? "consistent with sampling error"
                                                               : "somewhat more than expected",
                                 p_phrase(found.fold_p)));
  }
  if (estimate.seed_sd) {
    const bool moves = *estimate.seed_sd > kNotableSeeds * estimate.standard_error;
    is_caution = is_caution || moves;
    sentences.push_back(sentence(
        "standard deviation over seeds {:.2g}{}", *estimate.seed_sd,
        estimate.standard_error > 0
            ? sentence(" ({:.2f} standard errors)", *estimate.seed_sd / estimate.standard_error)
            : ""));
  }
  return {is_caution, fmt::format("{}: {}", printable(found.policy), fmt::join(sentences, "; "))};
}

constexpr double kMostOffSupport = 0.1;
constexpr double kLeastFit = -0.05;  // R²; a model of pure noise is a little below 0

}  // namespace

bool do_folds_disagree(const PolicyStability& stability) {
  return !stability.by_fold.empty() && stability.fold_p < kSignificantSpread;
}

std::vector<PolicyStability> measure_stability(std::span<const PolicyResult> results,
                                               std::string_view estimator, const FitPlan& plan,
                                               std::span<const std::uint32_t> cluster,
                                               const Communicator& comm) {
  std::vector<PolicyStability> out;
  for (const PolicyResult& result : results) {
    const auto estimate = std::ranges::find(result.estimates, estimator, &Estimate::estimator);
    if (estimate == result.estimates.end() || !std::isfinite(estimate->value)) continue;
    PolicyStability found{.policy = result.name, .seed_sd = estimate->seed_sd};
    compare_folds(plan, *estimate, cluster, comm, found);
    if (found.by_fold.empty() && !found.seed_sd) continue;
    found.verdict = judge_stability(found, *estimate);
    out.push_back(std::move(found));
  }
  return out;
}

std::string find_failure(const LoggedSample& sample, const Estimate& estimate, Method method,
                         const PolicyStability* stability, std::span<const double> residual) {
  if (estimate.off_support_fraction.value_or(0) > kMostOffSupport) {
    return sentence("{:.0f} % of its assignments are off support, where the value extrapolates",
                    100 * *estimate.off_support_fraction);
  }
  if (estimate.is_oversmoothed()) {
    return sentence("the estimated smoothing bias ({:+.3g} ± {:.2g}) exceeds the standard error",
                    estimate.bias(), estimate.smoothing_bias->standard_error);
  }
  if (stability != nullptr && do_folds_disagree(*stability)) {
    return fmt::format("values by fold differ by more than sampling error explains ({})",
                       p_phrase(stability->fold_p));
  }
  if (!rests_on_model(method) || !sample.comm->any(!residual.empty())) return "";
  double squares = 0;
  for (const double r : residual) squares += r * r;
  const double n = sample.comm->count(sample.size());
  const double r_squared =
      1 - sample.comm->allreduce(squares) / n / variance(sample.outcome, 0, *sample.comm);
  if (!(r_squared <= kLeastFit)) return "";
  return sentence("the outcome model predicts worse than a constant (R² {:.2f})", r_squared);
}

std::string find_learning_failure(LearntOn learnt_on, Method method) {
  if (learnt_on == LearntOn::kTheseData) {
    return "it was learnt from the same data, so the interval is not valid";
  }
  if (learnt_on == LearntOn::kTheseDataOutOfFold && rests_on_model(method)) {
    return "it was learnt out of fold from the outcomes that the outcome model is fitted to, so "
           "the "
           "value is too optimistic: cone learn and --estimators dr_ridge give a valid one";
  }
  return "";
}

}  // namespace cone

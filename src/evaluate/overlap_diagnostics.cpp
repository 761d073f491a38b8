#include "evaluate/overlap_diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "base/text.hpp"
#include "estimate/overlap.hpp"
#include "estimate/weights.hpp"

namespace cone {
namespace {

// docs/diagnostics.md says why.
constexpr std::size_t kOverlapBins = 20;
constexpr double kRareChance = 0.1;  // of the arm's share
constexpr double kManyRareNodes = 0.05;
constexpr double kLeastEffectiveFraction = 0.1;  // of the nodes, of two arms
constexpr double kHeaviest = 0.01;               // of the nodes
constexpr double kHeavyShare = 0.2;
constexpr double kMuchUnsupported = 0.02;

/// Of ascending values: the smallest that at least a share of q does not exceed.
double sorted_quantile(std::span<const double> sorted, double q) {
  if (sorted.empty()) return kNaN;
  const double place = std::ceil(q * static_cast<double>(sorted.size())) - 1;
  return sorted[static_cast<std::size_t>(std::max(0.0, place))];
}

WeightTail describe_weights(const std::string& policy, std::vector<double> weights,
                            std::size_t num_arms) {
  const auto n = static_cast<double>(weights.size());
  WeightTail out{.policy = policy, .effective_nodes = effective_sample_size(weights)};
  std::sort(weights.begin(), weights.end());
  const double total = sum(weights);
  const auto num_heaviest = static_cast<std::size_t>(std::ceil(kHeaviest * n));
  const std::span<const double> heaviest = std::span(weights).last(num_heaviest);
  out.heaviest_share = total > 0 ? sum(heaviest) / total : 0;
  const auto used =
      std::span<const double>(std::upper_bound(weights.begin(), weights.end(), 0.0), weights.end());
  out.median = sorted_quantile(used, 0.5);
  out.quantile_90 = sorted_quantile(used, 0.9);
  out.quantile_99 = sorted_quantile(used, 0.99);
  out.max = sorted_quantile(used, 1);
  const double least = kLeastEffectiveFraction * 2 / static_cast<double>(num_arms) * n;
  const bool has_few = out.effective_nodes < least;
  // Of a few nodes one always carries much.
  const bool is_heavy = out.heaviest_share > kHeavyShare &&
                        out.heaviest_share > 10 * static_cast<double>(num_heaviest) / n;
  const std::string heaviest_nodes =
      num_heaviest == 1 ? "node carries" : grouped(num_heaviest) + " carry";
  out.verdict = {
      has_few || is_heavy,
      fmt::format("{}: weights are worth {} of {} nodes, and the heaviest {} {:.0f} % of "
                  "the weight",
                  printable(policy),
                  grouped(static_cast<std::uint64_t>(std::llround(out.effective_nodes))),
                  grouped(weights.size()), heaviest_nodes, 100 * out.heaviest_share)};
  return out;
}

}  // namespace

std::string arm_phrase(std::span<const std::string> labels, std::size_t arm) {
  if (has_plain_labels(labels)) return arm == kControlArm ? "no treatment" : "treatment";
  return fmt::format("arm '{}'", printable(labels[arm]));
}

std::string p_phrase(double p) { return p < 1e-4 ? "p < 0.0001" : fmt::format("p {:.2g}", p); }

std::vector<ArmOverlap> measure_arm_overlap(const LoggedSample& sample,
                                            MatrixView<const double> e) {
  const auto n = static_cast<double>(sample.size());
  std::vector<ArmOverlap> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    ArmOverlap arm{.arm = sample.arms[a]};
    arm.got.assign(kOverlapBins, 0);
    arm.others.assign(kOverlapBins, 0);
    const auto num_got = static_cast<double>(std::ranges::count(sample.arm, static_cast<Arm>(a)));
    double num_rare = 0;  // people
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const double place = std::clamp(e(i, a), 0.0, 1.0) * kOverlapBins;
      const std::size_t bin = std::min(static_cast<std::size_t>(place), kOverlapBins - 1);
      ++(sample.arm[i] == a ? arm.got : arm.others)[bin];
      if (e(i, a) < kRareChance * num_got / n) num_rare += sample.weight_of(i);
    }
    arm.rare_fraction = num_rare / n;
    arm.verdict = {
        arm.rare_fraction > kManyRareNodes,
        fmt::format("{:.1f} % of the nodes had less than a tenth of the usual chance "
                    "({:.1f} %) of {}",
                    100 * arm.rare_fraction, 100 * num_got / n, arm_phrase(sample.arms, a))};
    out.push_back(std::move(arm));
  }
  return out;
}

std::vector<WeightTail> measure_weight_tails(const LoggedSample& sample, MatrixView<const double> e,
                                             std::span<const PolicyOnData> policies) {
  std::vector<WeightTail> out;
  for (const PolicyOnData& policy : policies) {
    Matrix<double> rows = take_rows(policy.probability.view(), sample.nodes);
    weigh_rows(sample, rows);
    out.push_back(describe_weights(policy.name,
                                   importance_weights(sample.arm, std::as_const(rows).view(), e),
                                   sample.num_arms()));
  }
  return out;
}

std::vector<PolicySupport> measure_support(const LoggedSample& sample,
                                           const PropensityTable& propensity,
                                           std::span<const PolicyOnData> policies) {
  std::vector<PolicySupport> out;
  for (const PolicyOnData& policy : policies) {
    Matrix<double> rows = take_rows(policy.probability.view(), sample.nodes);
    weigh_rows(sample, rows);
    const auto overlap = measure_overlap(
        {.sample = sample, .policy = std::as_const(rows).view(), .propensity = &propensity});
    const double share = overlap->unsupported_fraction;
    out.push_back(
        {.policy = policy.name,
         .unsupported_fraction = share,
         .verdict = {share > kMuchUnsupported,
                     fmt::format("{}: the log {} did what the policy does for {:.1f} % "
                                 "of the nodes",
                                 printable(policy.name),
                                 propensity.given() ? "never" : "hardly ever", 100 * share)}});
  }
  return out;
}

}  // namespace cone

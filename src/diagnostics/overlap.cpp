#include "diagnostics/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "cone/estimate.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "base/readable_number.hpp"
#include "diagnostics/phrases.hpp"
#include "estimate/overlap.hpp"
#include "exec/ordered_values.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr std::size_t kOverlapBins = 20;
constexpr double kRarePropensity = 0.1;  // of the arm's share
constexpr double kManyRareNodes = 0.05;
constexpr double kLeastEffectiveFraction = 0.1;  // of the nodes, of two arms
constexpr double kHeaviest = 0.01;               // of the nodes
constexpr double kHeavyShare = 0.2;
constexpr double kMuchOffSupport = 0.02;

/// Positions of quantiles in the list: the smallest value that at least a share of q of the last
/// `used` ones does not exceed.
std::vector<std::uint64_t> quantile_positions(const OrderedValues& list, std::uint64_t used,
                                              std::span<const double> shares) {
  std::vector<std::uint64_t> positions;
  for (const double q : shares) {
    const double position = std::ceil(q * static_cast<double>(used)) - 1;
    positions.push_back(list.size() - used + static_cast<std::uint64_t>(std::max(0.0, position)));
  }
  return positions;
}

WeightTail describe_weights(const std::string& policy, std::vector<double> weights,
                            std::size_t num_arms, const Communicator& comm) {
  WeightTail out{.policy = policy, .effective_sample_size = effective_sample_size(weights, comm)};
  const OrderedValues sorted(std::move(weights), comm);
  const auto n = static_cast<double>(sorted.size());
  const auto num_heaviest = static_cast<std::uint64_t>(std::ceil(kHeaviest * n));
  const double total = sum(sorted.local(), comm);
  out.heaviest_share = total > 0 ? sum(sorted.last(num_heaviest), comm) / total : 0;
  constexpr std::array<double, 4> kShares = {0.5, 0.9, 0.99, 1};
  const std::uint64_t num_used = sorted.count_above(0);
  std::vector<double> quantiles(kShares.size(), kNaN);
  if (num_used > 0) quantiles = sorted.at(quantile_positions(sorted, num_used, kShares));
  out.median = quantiles[0];
  out.quantile_90 = quantiles[1];
  out.quantile_99 = quantiles[2];
  out.max = quantiles[3];
  const double least = kLeastEffectiveFraction * 2 / static_cast<double>(num_arms) * n;
  const bool has_few = out.effective_sample_size < least;
  // With few nodes one always carries much.
  const bool is_heavy = out.heaviest_share > kHeavyShare &&
                        out.heaviest_share > 10 * static_cast<double>(num_heaviest) / n;
  const std::string heaviest_nodes =
      num_heaviest == 1 ? "node carries" : grouped(num_heaviest) + " nodes carry";
  out.verdict = {
      has_few || is_heavy,
      sentence("{}: effective sample size {} of {}; the heaviest {} {:.0f} % of the weight",
               printable(policy),
               grouped(static_cast<std::uint64_t>(std::llround(out.effective_sample_size))),
               grouped(sorted.size()), heaviest_nodes, 100 * out.heaviest_share)};
  return out;
}

/// "3.1 %", or "less than 0.1 %".
std::string share_in_words(double share) {
  constexpr double kLeast = 0.001;
  return share < kLeast ? "less than 0.1 %" : share_in_percent(share);
}

std::string describe_support(const std::string& policy, double share,
                             const PropensityTable& propensity) {
  const std::string name = printable(policy);
  if (share == 0) return name + ": no positivity violations";
  return fmt::format(
      "{}: {} of the policy's assignments are off support (the logged policy {} makes "
      "them)",
      name, share_in_words(share), propensity.given() ? "never" : "hardly ever");
}

}  // namespace

std::vector<ArmOverlap> measure_arm_overlap(const LoggedSample& sample,
                                            MatrixView<const double> e) {
  const Communicator& comm = *sample.comm;
  const double n = comm.count(sample.size());
  std::vector<double> num_got(sample.num_arms(), 0.0);
  for (const Arm arm : sample.arm) ++num_got[arm];
  comm.allreduce(num_got);
  // Per arm: its nodes by bin, the other nodes by bin, units with a rare propensity.
  constexpr std::size_t kWidth = 2 * kOverlapBins + 1;
  std::vector<double> counts(sample.num_arms() * kWidth, 0.0);
  const auto counts_of = [&](std::size_t a) {
    return std::span(counts).subspan(a * kWidth, kWidth);
  };
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const double position = std::clamp(e(i, a), 0.0, 1.0) * kOverlapBins;
      const std::size_t bin = std::min(static_cast<std::size_t>(position), kOverlapBins - 1);
      ++counts_of(a)[sample.arm[i] == a ? bin : kOverlapBins + bin];
      if (e(i, a) < kRarePropensity * num_got[a] / n) counts_of(a).back() += sample.weight_of(i);
    }
  }
  comm.allreduce(counts);
  std::vector<ArmOverlap> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    const std::span<const double> found = counts_of(a);
    ArmOverlap arm{.arm = sample.arms[a], .rare_fraction = found.back() / n};
    for (std::size_t bin = 0; bin < kOverlapBins; ++bin) {
      arm.got.push_back(static_cast<std::uint64_t>(found[bin]));
      arm.others.push_back(static_cast<std::uint64_t>(found[kOverlapBins + bin]));
    }
    const std::string rare =
        sentence("a propensity of {} below a tenth of the arm's share ({:.1f} %)",
                 arm_phrase(sample.arms, a), 100 * num_got[a] / n);
    arm.verdict = {arm.rare_fraction > kManyRareNodes,
                   arm.rare_fraction > 0 ? fmt::format("{} of the nodes have {}",
                                                       share_in_words(arm.rare_fraction), rare)
                                         : "no node has " + rare};
    out.push_back(std::move(arm));
  }
  return out;
}

std::vector<WeightTail> measure_weight_tails(const LoggedSample& sample, MatrixView<const double> e,
                                             std::span<const SamplePolicy> policies) {
  std::vector<WeightTail> out;
  for (const SamplePolicy& policy : policies) {
    out.push_back(describe_weights(policy.name,
                                   importance_weights(sample.arm, policy.probability, e),
                                   sample.num_arms(), *sample.comm));
  }
  return out;
}

std::vector<PolicySupport> measure_support(const LoggedSample& sample,
                                           const PropensityTable& propensity,
                                           std::span<const SamplePolicy> policies) {
  std::vector<PolicySupport> out;
  for (const SamplePolicy& policy : policies) {
    const auto overlap = measure_overlap(
        {.sample = sample, .policy = policy.probability, .propensity = &propensity});
    const double share = overlap->off_support_fraction;
    out.push_back(
        {.policy = policy.name,
         .off_support_fraction = share,
         .verdict = {share > kMuchOffSupport, describe_support(policy.name, share, propensity)}});
  }
  return out;
}

}  // namespace cone

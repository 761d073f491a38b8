#include "evaluate/calibration_diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "evaluate/even_groups.hpp"
#include "evaluate/overlap_diagnostics.hpp"

namespace cone {
namespace {

// docs/diagnostics.md explains the thresholds.
constexpr std::size_t kCalibrationBins = 10;
constexpr std::size_t kLeastPerBin = 20;
constexpr double kSignificantGap = 0.01;  // p
constexpr double kGapThatMatters = 0.1;   // of the smaller of the arm's share and the others'

/// Sums over the nodes of a bin, of all ranks.
struct BinSums {
  double expected = 0;           ///< number of nodes in the arm
  double variance_of_count = 0;  ///< of that number
  double got = 0;                ///< observed number
  double size = 0;
};

std::vector<BinSums> sum_bins(const LoggedSample& sample, std::span<const double> column,
                              std::size_t a, std::size_t num_bins) {
  std::vector<double> sums;
  for (const std::vector<std::size_t>& bin : group_evenly(column, num_bins, *sample.comm)) {
    CompensatedSum expected;
    CompensatedSum variance_of_count;
    double got = 0;
    for (const std::size_t i : bin) {
      expected.add(column[i]);
      variance_of_count.add(column[i] * (1 - column[i]));
      got += sample.arm[i] == a ? 1 : 0;
    }
    sums.insert(sums.end(), {expected.value(), variance_of_count.value(), got,
                             static_cast<double>(bin.size())});
  }
  sample.comm->allreduce(sums);
  std::vector<BinSums> out;
  for (std::size_t k = 0; k < sums.size(); k += 4) {
    out.push_back({sums[k], sums[k + 1], sums[k + 2], sums[k + 3]});
  }
  return out;
}

ArmCalibration calibrate_arm(const LoggedSample& sample, MatrixView<const double> e,
                             std::size_t a) {
  const double n = sample.comm->count(sample.size());
  const std::vector<double> column = arm_column(e, static_cast<Arm>(a));
  ArmCalibration out{.arm = sample.arms[a]};
  double num_got = 0;
  const std::size_t num_bins =
      std::clamp<std::size_t>(static_cast<std::size_t>(n) / kLeastPerBin, 1, kCalibrationBins);
  for (const BinSums& bin : sum_bins(sample, column, a, num_bins)) {
    out.bins.push_back(
        {bin.expected / bin.size, bin.got / bin.size, static_cast<std::uint64_t>(bin.size)});
    const double off = bin.got - bin.expected;
    out.mean_gap += std::abs(off) / n;
    // A propensity of 0 or 1 that the data contradicts has p = 0.
    if (off != 0) out.chi_squared += off * off / std::max(bin.variance_of_count, 1e-300);
    num_got += bin.got;
  }
  out.chi_squared = std::min(out.chi_squared, std::numeric_limits<double>::max());
  out.p = chi_squared_tail(out.chi_squared, static_cast<double>(out.bins.size()));
  const double limit = kGapThatMatters * std::min(num_got, n - num_got) / n;
  const bool is_far_off = out.mean_gap > limit;
  const bool is_significant = out.p < kSignificantGap;
  out.verdict = {
      is_far_off && is_significant,
      sentence(
          "the propensities of {} have a mean calibration error of {:.3f}{} (limit {:.3f}, {})",
          arm_phrase(sample.arms, a), out.mean_gap,
          is_far_off && !is_significant ? ", which sampling error may explain" : "", limit,
          p_phrase(out.p))};
  return out;
}

}  // namespace

std::vector<ArmCalibration> measure_calibration(const LoggedSample& sample,
                                                MatrixView<const double> e) {
  std::vector<ArmCalibration> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) out.push_back(calibrate_arm(sample, e, a));
  return out;
}

}  // namespace cone

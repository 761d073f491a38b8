#include "diagnostics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "diagnostics/phrases.hpp"
#include "estimate/significance.hpp"
#include "exec/ordered_values.hpp"
#include "exec/statistics.hpp"

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

/// Negative log-likelihood of an arm, bounded so that a node of propensity 0 leaves the mean
/// finite.
double log_loss(double probability) {
  constexpr double kSmallest = 1e-15;
  return -std::log(std::max(kSmallest, probability));
}

/// Log losses of the logged arms under the propensities and under a constant.
struct LogLosses {
  std::vector<double> model;
  std::vector<double> constant;  ///< the arms' shares of the other nodes (leave-one-out)
};

LogLosses log_losses(const LoggedSample& sample, const PropensityTable& table) {
  std::vector<double> count(sample.num_arms(), 0.0);
  for (const Arm arm : sample.arm) ++count[arm];
  sample.comm->allreduce(count);
  const double num_others = sum(count) - 1;
  LogLosses losses;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Arm own = sample.arm[i];
    double share = 1;  // of the control arm: the remainder
    for (std::size_t a = 1; a < count.size(); ++a) {
      const double others = (count[a] - (a == own ? 1 : 0)) / num_others;
      if (a == own) share = others;
      if (own == kControlArm) share -= others;
    }
    losses.model.push_back(log_loss(table.e(i, own)));
    losses.constant.push_back(log_loss(share));
  }
  return losses;
}

}  // namespace

std::vector<ArmCalibration> measure_calibration(const LoggedSample& sample,
                                                MatrixView<const double> e) {
  std::vector<ArmCalibration> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) out.push_back(calibrate_arm(sample, e, a));
  return out;
}

PropensityDiagnostics diagnose_propensity(const std::string& name, const LoggedSample& sample,
                                          const PropensityTable& table,
                                          std::vector<std::string>& warnings) {
  PropensityDiagnostics out{
      .name = name, .min = 1, .max = 0, .clipped_fraction = table.clipped_fraction};
  // With two arms one determines the other.
  for (std::size_t a = sample.num_arms() == 2 ? 1 : 0; a < sample.num_arms(); ++a) {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      out.min = std::min(out.min, table.e(i, a));
      out.max = std::max(out.max, table.e(i, a));
    }
  }
  const Communicator& comm = *sample.comm;
  out.min = -comm.allreduce_max(-out.min);
  out.max = comm.allreduce_max(out.max);
  const LogLosses losses = log_losses(sample, table);
  out.log_loss = mean(losses.model, comm);
  out.constant_log_loss = mean(losses.constant, comm);
  std::vector<double> excess(sample.size());
  for (std::size_t k = 0; k < excess.size(); ++k) excess[k] = losses.model[k] - losses.constant[k];
  // A model without signal is slightly worse than a constant by chance: warn beyond that.
  if (mean(excess, comm) > 2 * standard_error(excess, comm)) {
    warnings.push_back(
        sentence("propensity ({}): predicts the logged arms worse than a constant (log loss "
                 "{:.4f} against {:.4f})",
                 out.name, out.log_loss, out.constant_log_loss));
  }
  return out;
}

}  // namespace cone

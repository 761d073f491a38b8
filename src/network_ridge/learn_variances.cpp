#include "network_ridge/learn_variances.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "network_ridge/small_matrices.hpp"

namespace cone {
namespace {

constexpr double kLowest = -16;
constexpr double kHighest = 6;
/// The range of factors by which one step may multiply a variance.
constexpr double kMostShrinking = 0.05;
constexpr double kMostGrowing = 1e5;
/// The logarithm of a variance that is negligible.
constexpr double kSmall = -6.2;
constexpr double kRestartVariance = 1e-3;
constexpr std::size_t kMostSteps = 60;
/// Sizes of the samples that the search begins on, where there are at least twice as many nodes.
constexpr std::array<std::size_t, 2> kFirstSizes = {400, 1500};

/// Starting values: half of the outcome's variance to the groups, half to the noise.
std::vector<double> start_variances(std::size_t num_groups, std::size_t num_noises) {
  std::vector<double> logs;
  for (std::size_t g = 0; g < num_groups; ++g) {
    logs.push_back(std::log(0.5 / static_cast<double>(num_groups)));
  }
  for (std::size_t g = 0; g < num_noises; ++g) {
    logs.push_back(std::log(0.5 / static_cast<double>(num_noises)));
  }
  return logs;
}

std::vector<double> exponentials(std::span<const double> logs) {
  std::vector<double> out;
  for (const double value : logs) out.push_back(std::exp(value));
  return out;
}

/// Whether a variance is at a bound and the gradient points beyond it.
bool is_at_bound(double log, double gradient) {
  return (log <= kLowest && gradient >= 0) || (log >= kHighest && gradient <= 0);
}

struct Step {
  std::vector<double> logs;
  double largest_gain = 0;  ///< of the log likelihood, before bounds
};

/// An upper bound on the gain in log likelihood from a change of one logarithm. The likelihood is
/// close to linear in a variance that goes to zero, so a decrease gains no more than the gradient,
/// whatever the quadratic model predicts. Never negative: steps are coupled, and the loss of one
/// coordinate must not cancel the gain of the others.
double bound_gain(double gradient, double change) {
  const double quadratic = 0.5 * std::abs(gradient * change);
  return change < 0 ? std::min(quadratic, std::abs(gradient)) : quadratic;
}

/// The logarithm after a step. A Newton step of the variance itself multiplies it by 1 + change; a
/// step of its logarithm overshoots where the change is large, up or down.
double move_log(double log, double change) {
  // A negligible variance that still decreases goes to the lower bound at once.
  if (log < kSmall && change < -1) return kLowest;
  const double factor = std::clamp(1 + change, kMostShrinking, kMostGrowing);
  return std::clamp(log + std::log(factor), kLowest, kHighest);
}

Step propose(const LikelihoodPoint& point, std::span<const double> logs, double damping) {
  std::vector<std::size_t> free;
  for (std::size_t g = 0; g < logs.size(); ++g) {
    if (!is_at_bound(logs[g], point.gradient[g])) free.push_back(g);
  }
  Step step{{logs.begin(), logs.end()}, 0};
  if (free.empty()) return step;
  double largest = 0;
  for (const std::size_t g : free) largest = std::max(largest, point.information(g, g));
  SmallSystem system(free.size());
  std::vector<double> change;
  for (std::size_t r = 0; r < free.size(); ++r) {
    for (std::size_t c = 0; c < free.size(); ++c) {
      system.matrix(r, c) = point.information(free[r], free[c]);
    }
    // The term proportional to the largest keeps unidentified directions in place.
    system.matrix(r, r) += damping * system.matrix(r, r) + 1e-10 * largest + 1e-300;
    change.push_back(-point.gradient[free[r]]);
  }
  if (!system.factorise()) return step;
  system.solve(change);
  for (std::size_t r = 0; r < free.size(); ++r) {
    const std::size_t g = free[r];
    step.largest_gain += bound_gain(point.gradient[g], change[r]);
    step.logs[g] = move_log(logs[g], change[r]);
  }
  return step;
}

/// The usual number of steps of a search, for the progress bar: after these, two thirds are shown
/// as done, and every further step takes the same share of the rest.
constexpr double kUsualSteps = 6;
constexpr std::uint64_t kProgressParts = 1000;

/// The range of the progress bar that one climb covers.
struct ClimbShare {
  double begin = 0;
  double end = 1;

  void report(const Context& context, std::size_t steps) const {
    const double done = 1 - std::exp(-static_cast<double>(steps) / kUsualSteps);
    context.report("learning variances",
                   static_cast<std::uint64_t>(kProgressParts * (begin + (end - begin) * done)),
                   kProgressParts);
  }
};

/// Newton steps from `logs`, which become the best values found.
template <class Sample>
LearntVariances climb(const Context& context, const Sample& sample, const ClimbShare& share,
                      std::vector<double>& logs, double tolerance) {
  LearntVariances out;
  auto point = evaluate_likelihood(context, sample, exponentials(logs));
  ++out.steps;
  double damping = 0;
  while (point && out.steps < kMostSteps) {
    const Step step = propose(*point, logs, damping);
    if (step.largest_gain < tolerance) {
      out.converged = true;
      break;
    }
    share.report(context, out.steps);
    auto next = evaluate_likelihood(context, sample, exponentials(step.logs));
    ++out.steps;
    const bool is_better = next && next->value < point->value;
    if (is_better) {
      logs = step.logs;
      point = std::move(next);
      damping = damping > 0.05 ? damping / 4 : 0;
    } else {
      if (damping > 1e6) break;
      damping = std::max(1.0, damping * 8);
    }
  }
  out.likelihood = point ? point->value : std::numeric_limits<double>::quiet_NaN();
  return out;
}

/// Some rows of a sample, as a sample.
ArmSample take_rows(const Context& context, const ArmSample& sample,
                    std::span<const std::size_t> rows) {
  ArmSample part;
  part.kernels = select_kernels(context, sample.kernels, rows);
  part.noise_grows = sample.noise_grows;
  part.fixed = Matrix<double>(rows.size(), sample.fixed.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    part.outcome.push_back(sample.outcome[rows[i]]);
    if (!sample.known_noise.empty()) part.known_noise.push_back(sample.known_noise[rows[i]]);
    for (std::size_t c = 0; c < sample.fixed.cols(); ++c) {
      part.fixed(i, c) = sample.fixed(rows[i], c);
    }
  }
  return part;
}

/// Climbs on the first nodes, where there are enough, and then on all.
template <class Sample, class TakeFirst>
LearntVariances climb_by_stages(const Context& context, const Sample& all, std::size_t num_nodes,
                                std::vector<double> logs, const TakeFirst& take_first,
                                double tolerance) {
  // A step costs O(nodes³).
  const auto cost_of = [&](std::size_t size) {
    return std::pow(static_cast<double>(size) / static_cast<double>(num_nodes), 3);
  };
  double cost = 1;
  for (const std::size_t size : kFirstSizes) {
    if (2 * size <= num_nodes) cost += cost_of(size);
  }
  ClimbShare share{0, 0};
  for (const std::size_t size : kFirstSizes) {
    if (2 * size > num_nodes) break;
    share = {share.end, share.end + cost_of(size) / cost};
    climb(context, take_first(size), share, logs, tolerance);
    // A variance that vanishes on the few nodes may be identified on more of them.
    for (double& value : logs) value = std::max(value, std::log(kRestartVariance));
  }
  LearntVariances out = climb(context, all, {share.end, 1}, logs, tolerance);
  out.variances = exponentials(logs);
  out.num_nodes = num_nodes;
  return out;
}

}  // namespace

LearntVariances learn_variances(const Context& context, const ArmSample& sample,
                                std::span<const std::size_t> order, double tolerance) {
  const std::size_t num_groups = sample.kernels.groups.size();
  const auto take_first = [&](std::size_t size) {
    return take_rows(context, sample, order.first(size));
  };
  return climb_by_stages(context, sample, sample.kernels.size(),
                         start_variances(num_groups, sample.num_variances() - num_groups),
                         take_first, tolerance);
}

LearntVariances improve_variances(const Context& context, const ArmSample& sample,
                                  std::span<const double> start, double tolerance) {
  std::vector<double> logs;
  for (const double value : start) logs.push_back(std::clamp(std::log(value), kLowest, kHighest));
  LearntVariances out = climb(context, sample, {0, 1}, logs, tolerance);
  out.variances = exponentials(logs);
  out.num_nodes = sample.kernels.size();
  return out;
}

LearntVariances learn_variances(const Context& context, const FeatureSample& sums,
                                const std::function<FeatureSample(std::size_t)>& sum_first,
                                double tolerance) {
  return climb_by_stages(context, sums, static_cast<std::size_t>(sums.num_nodes()),
                         start_variances(sums.num_groups(), 1), sum_first, tolerance);
}

}  // namespace cone

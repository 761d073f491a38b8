#include "estimate/enough_units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <vector>

#include "cone/text.hpp"

#include "exec/statistics.hpp"

namespace cone {
namespace {

constexpr double kFewest = 20;          // units or events of an arm
constexpr double kUsedFraction = 0.01;  // of the assignments, for an arm to count
constexpr double kTakenFraction = 0.1;  // of the units that change arms

/// Kish's effective number of units: (Σv)²/Σv².
struct EffectiveCount {
  double weight = 0;
  double squared_weight = 0;

  double value() const { return squared_weight > 0 ? weight * weight / squared_weight : 0; }
};

struct ArmCounts {
  double assigned = 0;
  EffectiveCount units, not_zero, at_low, at_high;  ///< by outcome

  double events(bool is_binary) const {
    return is_binary ? std::min(at_low.value(), at_high.value()) : not_zero.value();
  }
};

/// Over all ranks.
std::vector<ArmCounts> count_by_arm(const LoggedSample& sample, MatrixView<const double> policy,
                                    std::span<const double> weights,
                                    std::pair<double, double> values) {
  constexpr std::size_t kFields = 9;
  std::vector<double> sums(sample.num_arms() * kFields, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sample.num_arms(); ++a) sums[a * kFields] += policy(i, a);
    double* own = &sums[sample.arm[i] * kFields];
    const double v = weights.empty() ? 1 : weights[i];
    const double y = sample.outcome[i];
    const std::array<bool, 4> counts = {true, y != 0, y == values.first, y == values.second};
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (!counts[k]) continue;
      // Signed weights of all units, as in the effective sample size of the table; those of events
      // may cancel.
      own[1 + 2 * k] += k == 0 ? v : std::abs(v);
      own[2 + 2 * k] += v * v;
    }
  }
  sample.comm->allreduce(sums);
  std::vector<ArmCounts> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    const double* s = &sums[a * kFields];
    out.push_back({s[0], {s[1], s[2]}, {s[3], s[4]}, {s[5], s[6]}, {s[7], s[8]}});
  }
  return out;
}

}  // namespace

std::optional<std::pair<double, double>> find_two_values(const LoggedSample& sample) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<double, 2> ends = {kNone, kNone};  // the largest of −y and of y
  for (const double y : sample.outcome) {
    ends = {std::max(ends[0], -y), std::max(ends[1], y)};
  }
  sample.comm->allreduce_max(ends);
  const double low = -ends[0];
  const double high = ends[1];
  const bool has_others =
      std::ranges::any_of(sample.outcome, [&](double y) { return y != low && y != high; });
  if (sample.comm->any(has_others)) return std::nullopt;
  return std::pair(low, high);
}

namespace {

std::string describe_few(double effective, std::string_view event, std::string_view arm,
                         std::string_view rest) {
  return sentence("effective sample size {:.0f} {} arm '{}'{}{}, too few to rely on the interval",
                  std::floor(effective), event.empty() ? "in" : "of units in", printable(arm),
                  event, rest);
}

std::string_view name_event(bool is_binary) {
  return is_binary ? " with the rarer outcome" : " with an outcome other than 0";
}

/// Whether few units stand for all.
std::string find_heavy_weights(const LoggedSample& sample) {
  if (!sample.comm->any(!sample.weight.empty())) return "";
  EffectiveCount units;
  for (const double w : sample.weight) {
    units.weight += w;
    units.squared_weight += w * w;
  }
  units.weight = sample.comm->allreduce(units.weight);
  units.squared_weight = sample.comm->allreduce(units.squared_weight);
  if (units.value() >= kFewest) return "";
  return sentence(
      "the survey weights have an effective sample size of {:.0f}, too few to rely on the interval",
      std::floor(units.value()));
}

}  // namespace

std::string find_unreliable(const LoggedSample& sample, MatrixView<const double> policy,
                            std::span<const double> weights, double effective_sample_size) {
  std::string heavy = find_heavy_weights(sample);
  if (!heavy.empty()) return heavy;
  const auto two_values = find_two_values(sample);
  const bool is_binary = two_values.has_value();
  const std::vector<ArmCounts> arms =
      count_by_arm(sample, policy, weights, two_values.value_or(std::pair(0.0, 0.0)));
  double assigned = 0;
  for (const ArmCounts& arm : arms) assigned += arm.assigned;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const ArmCounts& arm = arms[a];
    if (arm.assigned <= kUsedFraction * assigned) continue;
    double effective = arm.units.value();
    if (weights.empty()) effective = std::min(effective, effective_sample_size);
    if (effective < kFewest) return describe_few(effective, "", sample.arms[a], "");
    if (arm.events(is_binary) < kFewest) {
      return describe_few(arm.events(is_binary), name_event(is_binary), sample.arms[a], "");
    }
  }
  return "";
}

std::string find_few_taken(const LoggedSample& sample, MatrixView<const double> policy) {
  const auto two_values = find_two_values(sample);
  const bool is_binary = two_values.has_value();
  std::vector<double> taken(sample.size());
  for (std::size_t i = 0; i < sample.size(); ++i) {
    taken[i] = std::max(0.0, sample.weight_of(i) - policy(i, sample.arm[i]));
  }
  const std::vector<ArmCounts> arms =
      count_by_arm(sample, policy, taken, two_values.value_or(std::pair(0.0, 0.0)));
  double all = 0;
  for (const ArmCounts& arm : arms) all += arm.units.weight;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const ArmCounts& arm = arms[a];
    if (arm.units.weight <= kTakenFraction * all) continue;
    constexpr std::string_view kTaken = " whose arm it changes";
    if (arm.units.value() < kFewest) {
      return describe_few(arm.units.value(), kTaken, sample.arms[a], "");
    }
    if (arm.events(is_binary) < kFewest) {
      return describe_few(arm.events(is_binary), name_event(is_binary), sample.arms[a],
                          " and whose arm it changes");
    }
  }
  return "";
}

}  // namespace cone

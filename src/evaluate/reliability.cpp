#include "evaluate/reliability.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "base/sentence.hpp"
#include "base/text.hpp"
#include "exec/totals.hpp"

namespace cone {
namespace {

constexpr double kFewest = 20;          // units or events of an arm
constexpr double kUsedFraction = 0.01;  // of the assignments, for an arm to count

/// The smallest and the largest outcome of all ranks.
std::array<double, 2> find_range(const LoggedSample& sample) {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::array<double, 2> ends = {kNone, kNone};  // the largest of −y and of y
  for (const double y : sample.outcome) ends = {std::max(ends[0], -y), std::max(ends[1], y)};
  sample.totals->allreduce_max(ends);
  return {-ends[0], ends[1]};
}

struct ArmCounts {
  double assigned = 0;
  double weight = 0;
  double squared_weight = 0;
  double low = 0;   ///< units with the smallest outcome of the sample
  double high = 0;  ///< with the largest
  double zero = 0;
  double units = 0;

  double events(bool is_binary) const { return is_binary ? std::min(low, high) : units - zero; }
};

std::vector<ArmCounts> count_by_arm(const LoggedSample& sample, MatrixView<const double> policy,
                                    std::span<const double> coefficient,
                                    std::array<double, 2> range) {
  constexpr std::size_t kFields = 7;
  std::vector<double> sums(sample.num_arms() * kFields, 0.0);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    for (std::size_t a = 0; a < sample.num_arms(); ++a) sums[a * kFields] += policy(i, a);
    const Arm arm = sample.arm[i];
    double* own = &sums[arm * kFields];
    const double v = coefficient.empty() ? 0 : coefficient[i] + policy(i, arm);
    const double y = sample.outcome[i];
    own[1] += v;
    own[2] += v * v;
    own[3] += y == range[0] ? 1 : 0;
    own[4] += y == range[1] ? 1 : 0;
    own[5] += y == 0 ? 1 : 0;
    own[6] += 1;
  }
  sample.totals->allreduce(sums);
  std::vector<ArmCounts> out;
  for (std::size_t a = 0; a < sample.num_arms(); ++a) {
    const double* s = &sums[a * kFields];
    out.push_back({s[0], s[1], s[2], s[3], s[4], s[5], s[6]});
  }
  return out;
}

}  // namespace

std::string find_unreliable(const LoggedSample& sample, MatrixView<const double> policy,
                            std::span<const double> coefficient) {
  const std::array<double, 2> range = find_range(sample);
  const std::vector<ArmCounts> arms = count_by_arm(sample, policy, coefficient, range);
  double all = 0;
  double at_ends = 0;
  double assigned = 0;
  for (const ArmCounts& arm : arms) {
    all += arm.units;
    at_ends += arm.low + arm.high;
    assigned += arm.assigned;
  }
  const bool is_binary = at_ends == all && range[0] < range[1];
  for (std::size_t a = 0; a < arms.size(); ++a) {
    const ArmCounts& arm = arms[a];
    if (arm.assigned <= kUsedFraction * assigned) continue;
    const double effective =
        arm.squared_weight > 0 ? arm.weight * arm.weight / arm.squared_weight : arm.units;
    if (effective < kFewest) {
      return sentence("effective sample size {:.0f} in arm '{}'", effective,
                      printable(sample.arms[a]));
    }
    if (arm.events(is_binary) < kFewest) {
      return sentence("only {:.0f} units of arm '{}' have {}", arm.events(is_binary),
                      printable(sample.arms[a]),
                      is_binary ? "the rarer outcome" : "an outcome other than 0");
    }
  }
  return "";
}

}  // namespace cone

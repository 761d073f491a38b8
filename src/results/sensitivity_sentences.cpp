#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/sentence.hpp"
#include "base/text.hpp"
#include "results/sensitivity_output.hpp"

namespace cone {
namespace {

/// Two digits of the standard error.
std::string sized(double value, double error) {
  const int decimals = error > 0 && std::isfinite(error)
                           ? std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 17)
                           : 4;
  return sentence("{:.{}f}", value, decimals);
}

std::string describe_value(const SensitivityReport& report, const PolicySensitivity& policy) {
  const auto number = [&](double value) { return sized(value, policy.standard_error); };
  const std::string name = printable(policy.policy);
  const std::string range = fmt::format("{} to {}", number(policy.sampling_interval.first),
                                        number(policy.sampling_interval.second));
  if (report.reference == Reference::kNothing) {
    return fmt::format("{} is worth {} per unit ({}), if nothing is hidden.", name,
                       number(policy.value), range);
  }
  const std::string other =
      report.reference == Reference::kLogged ? "the logged policy" : printable(policy.against);
  const bool more = policy.value >= 0;
  const std::string bounds = more
                                 ? range
                                 : fmt::format("{} to {}", number(-policy.sampling_interval.second),
                                               number(-policy.sampling_interval.first));
  return fmt::format("{} is worth {} {} per unit than {} ({}), if nothing is hidden.", name,
                     number(std::abs(policy.value)), more ? "more" : "less", other, bounds);
}

std::string describe_breakdown(const SensitivityReport& report, const PolicySensitivity& policy) {
  const Breakdown& found = policy.breakdown;
  if (found.confident == 1.0) {
    return sentence(
        "Chance alone could explain the distance from {:g}: no unmeasured confounder is needed.",
        report.threshold);
  }
  if (!found.lambda) {
    std::string text = sentence(
        "Were the odds of treatment off by a factor of {:g}, for a reason that decides outcomes "
        "too, it would still stand",
        report.lambda_max);
    return found.confident
               ? text + sentence("; chance could explain the rest from a factor of {:.2f} on.",
                                 *found.confident)
               : text + ".";
  }
  return sentence(
      "To undo it, the odds of treatment would have to be off by a factor of {:.2f}, for a reason "
      "that decides outcomes too; from {:.2f} on chance could explain what is left.",
      *found.lambda, found.confident.value_or(*found.lambda));
}

std::string describe_robustness(const PolicySensitivity& policy) {
  if (policy.confident_robustness == 0) return "";
  return sentence(
      "A unmeasured confounder would have to explain {:.1f} % of what is left of the outcomes and "
      "as much "
      "of who was treated ({:.1f} % with chance).",
      100 * policy.robustness, 100 * policy.confident_robustness);
}

std::string describe_network(const SensitivityReport& report, const PolicySensitivity& policy) {
  const auto found =
      std::find_if(policy.benchmarks.begin(), policy.benchmarks.end(),
                   [](const Benchmark& benchmark) { return benchmark.name == "network"; });
  if (found == policy.benchmarks.end() || policy.confident_robustness == 0) return "";
  if (!found->treatment_gain_is_clear) {
    return "What the network tells of who was treated, beyond the features, is within chance: it "
           "is "
           "no clear yardstick for what is hidden.";
  }
  const double times = times_to_explain_away(report, policy, *found);
  if (!std::isfinite(times)) return "";
  if (times < 1) {
    return sentence(
        "An unmeasured confounder {:.0f} % as strong as the network, on outcomes and on treatment "
        "alike, could explain it away.",
        100 * times);
  }
  return sentence(
      "It would take an unmeasured confounder {:.1f} times as strong as the network, on outcomes "
      "and "
      "on treatment alike, to explain it away.",
      times);
}

}  // namespace

double times_to_explain_away(const SensitivityReport& report, const PolicySensitivity& policy,
                             const Benchmark& benchmark) {
  if (!benchmark.treatment_gain_is_clear || !(benchmark.bias > 0)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return std::abs(policy.value - report.threshold) / benchmark.bias;
}

std::vector<std::string> sensitivity_sentences(const SensitivityReport& report,
                                               const PolicySensitivity& policy) {
  if (report.reference == Reference::kPolicy && policy.scale_by_arm == 0) {
    return {fmt::format("{} does the same as {} for everyone: nothing can come between them.",
                        printable(policy.policy), printable(policy.against))};
  }
  if (!policy.doubt.empty()) return {fmt::format("No figure can be relied on. {}.", policy.doubt)};
  if (report.reference == Reference::kLogged && policy.scale_by_arm == 0 &&
      policy.standard_error == 0) {
    return {
        fmt::format("{} does the logged policy: what that is worth is known, and nothing hidden "
                    "can change it.",
                    printable(policy.policy))};
  }
  std::vector<std::string> out = {describe_value(report, policy),
                                  describe_breakdown(report, policy), describe_robustness(policy),
                                  describe_network(report, policy)};
  std::erase(out, "");
  return out;
}

}  // namespace cone

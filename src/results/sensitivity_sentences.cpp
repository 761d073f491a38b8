#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

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
  const std::string level = sentence("{:g} % CI", 100 * report.level);
  if (report.reference == Reference::kNothing) {
    return fmt::format(
        "The value of {} is {} per unit ({} {}) if there is no unmeasured confounding.", name,
        number(policy.value), level, range);
  }
  const std::string other =
      report.reference == Reference::kLogged ? "the logged policy" : printable(policy.against);
  const bool more = policy.value >= 0;
  const std::string bounds = more
                                 ? range
                                 : fmt::format("{} to {}", number(-policy.sampling_interval.second),
                                               number(-policy.sampling_interval.first));
  return fmt::format(
      "The value of {} is {} {} per unit than that of {} ({} {}) if there is no unmeasured "
      "confounding.",
      name, number(std::abs(policy.value)), more ? "higher" : "lower", other, level, bounds);
}

std::string describe_breakdown(const SensitivityReport& report, const PolicySensitivity& policy) {
  const Breakdown& found = policy.breakdown;
  if (found.confident == 1.0) {
    return sentence(
        "The difference from {:g} is not significant even without unmeasured confounding.",
        report.threshold);
  }
  if (!found.lambda) {
    std::string text = sentence(
        "Marginal sensitivity model: an unmeasured confounder that changes the odds of treatment "
        "by a factor of up to Λ = {:g} does not explain it away",
        report.lambda_max);
    return found.confident
               ? text + sentence("; from Λ = {:.2f} on the difference is no longer significant.",
                                 *found.confident)
               : text + ".";
  }
  return sentence(
      "Marginal sensitivity model: an unmeasured confounder that changes the odds of treatment by "
      "a factor of Λ = {:.2f} explains it away; from Λ = {:.2f} on the difference is no longer "
      "significant.",
      *found.lambda, found.confident.value_or(*found.lambda));
}

std::string describe_robustness(const PolicySensitivity& policy) {
  if (policy.confident_robustness == 0) return "";
  return sentence(
      "Robustness value: an unmeasured confounder would need a partial R² of {:.1f} % with both "
      "outcome and treatment to explain it away, {:.1f} % to make it not significant.",
      100 * policy.robustness, 100 * policy.confident_robustness);
}

std::string describe_network(const SensitivityReport& report, const PolicySensitivity& policy) {
  const auto found =
      std::find_if(policy.benchmarks.begin(), policy.benchmarks.end(),
                   [](const Benchmark& benchmark) { return benchmark.name == "network"; });
  if (found == policy.benchmarks.end() || policy.confident_robustness == 0) return "";
  if (!found->treatment_gain_is_clear) {
    return "The network does not significantly improve the treatment model beyond the features: it "
           "is no benchmark for unmeasured confounding.";
  }
  const double times = times_to_explain_away(report, policy, *found);
  if (!std::isfinite(times)) return "";
  if (times < 1) {
    return sentence(
        "An unmeasured confounder {:.0f} % as strong as the network, on both outcome and "
        "treatment, would explain it away.",
        100 * times);
  }
  return sentence(
      "It would take an unmeasured confounder {:.1f} times as strong as the network, on both "
      "outcome and treatment, to explain it away.",
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
    return {fmt::format("{} assigns every unit as {} does: their difference is zero.",
                        printable(policy.policy), printable(policy.against))};
  }
  if (!policy.doubt.empty())
    return {fmt::format("These results are not reliable. {}.", policy.doubt)};
  if (report.reference == Reference::kLogged && policy.scale_by_arm == 0 &&
      policy.standard_error == 0) {
    return {
        fmt::format("{} is identical to the logged policy: its value is observed, and unmeasured "
                    "confounding cannot change it.",
                    printable(policy.policy))};
  }
  std::vector<std::string> out = {describe_value(report, policy),
                                  describe_breakdown(report, policy), describe_robustness(policy),
                                  describe_network(report, policy)};
  std::erase(out, "");
  return out;
}

}  // namespace cone

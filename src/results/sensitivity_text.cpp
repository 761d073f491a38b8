#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

#include "base/readable_number.hpp"
#include "data/outcome_direction.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

constexpr std::array kShownLambdas = {1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0};

/// Three digits of the standard error.
int sensitivity_decimals(const PolicySensitivity& policy) {
  if (!(policy.standard_error > 0) || !std::isfinite(policy.standard_error)) return 4;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(policy.standard_error))), 0, 17);
}

std::string curve_table(const SensitivityReport& report, const PolicySensitivity& policy) {
  const int decimals = sensitivity_decimals(policy);
  const auto number = [&](double value) { return sentence("{:.{}f}", value, decimals); };
  TextTable table({{"Λ"},
                   {"lower bound"},
                   {"upper bound"},
                   {sentence("{:g} % CI of the bounds", 100 * report.level)}});
  // The interval at Λ = 1 gives the quantile.
  const double z = policy.standard_error > 0
                       ? (policy.sampling_interval.second - policy.value) / policy.standard_error
                       : 0;
  for (const MarginalBounds& at : policy.curve) {
    const bool is_shown =
        std::find(kShownLambdas.begin(), kShownLambdas.end(), at.lambda) != kShownLambdas.end() ||
        at.lambda == report.lambda_max;
    if (!is_shown) continue;
    table.add_row({sentence("{:g}", at.lambda), number(at.lower.value), number(at.upper.value),
                   fmt::format("[{}, {}]", number(at.lower.value - z * at.lower.standard_error),
                               number(at.upper.value + z * at.upper.standard_error))});
  }
  return table.to_string();
}

std::string benchmark_table(const SensitivityReport& report, const PolicySensitivity& policy) {
  const int decimals = sensitivity_decimals(policy);
  TextTable table({{"benchmark", TextTable::Align::kLeft},
                   {"partial R² outcome"},
                   {"partial R² treatment"},
                   {"bias bound"},
                   {"change when omitted"},
                   {"times to explain away"}});
  for (const Benchmark& benchmark : policy.benchmarks) {
    const double times = times_to_explain_away(report, policy, benchmark);
    table.add_row(
        {printable(benchmark.name), share_in_percent(benchmark.cf_y),
         benchmark.treatment_gain_is_clear ? share_in_percent(benchmark.cf_d) : "not clear",
         benchmark.treatment_gain_is_clear ? sentence("{:.{}f}", benchmark.bias, decimals) : "-",
         sentence("{:+.{}f}", benchmark.shift, decimals),
         std::isfinite(times) ? fmt::format("{:.1f}", times) : "-"});
  }
  return table.to_string();
}

std::string describe_models(const SensitivityReport& report) {
  const std::string treatment =
      report.treatment_r2 > 0.005
          ? sentence("have R² {:.0f} % for the treatment", 100 * report.treatment_r2)
          : "have R² near 0 for the treatment";
  return fmt::format(
      "Outcome: {}. Out of fold, the network ridge has R² {} for the outcome; propensities from {} "
      "{}.\nAll "
      "results are for the sample of {} units.\n",
      direction_text(report.outcome, report.lower_is_better),
      share_in_percent(report.outcome_r2, 0),
      report.propensity_sees_network ? "features and network" : "the features", treatment,
      grouped(report.num_nodes));
}

}  // namespace

std::string sensitivity_text(const SensitivityReport& report) {
  std::string text = describe_models(report);
  for (const PolicySensitivity& policy : report.policies) {
    text += fmt::format("\npolicy {}\n\n", printable(policy.policy));
    for (const std::string& sentence : sensitivity_sentences(report, policy)) {
      text += "  " + sentence + "\n";
    }
    if (!policy.doubt.empty()) continue;
    const int decimals = sensitivity_decimals(policy);
    text += sentence(
        "\nDoubly robust {:.{}f}, network ridge {:.{}f}. The bounds are around the doubly robust "
        "estimate; cone evaluate reports the network ridge (network_dm), by default for the "
        "population, so its interval differs from that at Λ = 1.\n\n",
        policy.value, decimals, policy.ridge_value, decimals);
    if (policy.error_factor > 1.005) {
      text += sentence(
          "Standard errors allow for correlated errors of connected units: they are {:.2f} times "
          "those of "
          "independent units.\n\n",
          policy.error_factor);
    }
    text += curve_table(report, policy);
    if (!policy.benchmarks.empty()) text += "\n" + benchmark_table(report, policy);
  }
  for (const std::string& warning : report.warnings) {
    const auto is_said = [&](const PolicySensitivity& policy) { return policy.doubt == warning; };
    if (std::ranges::none_of(report.policies, is_said)) text += "! " + warning + "\n";
  }
  return text;
}

}  // namespace cone

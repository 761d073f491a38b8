#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "options/json_number.hpp"
#include "results/text_table.hpp"
#include "study/refute.hpp"

namespace cone {
namespace {

int refutation_decimals(const RefutedPolicy& policy) {
  if (!(policy.standard_error > 0)) return 4;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(policy.standard_error))), 0, 17);
}

}  // namespace

std::string check_sentence(const CheckOutcome& outcome, const RefutedPolicy& answer) {
  const int decimals = refutation_decimals(answer);
  const auto number = [&](double value) { return sentence("{:.{}f}", value, decimals); };
  if (outcome.differences.empty()) return "Every rerun failed: no result.";
  const std::string moved = number(outcome.moved);
  switch (outcome.check) {
    case RefuteCheck::kPlacebo:
      return fmt::format(
          "A placebo treatment with the same propensities has a mean estimated effect of {}{}",
          number(mean(outcome.differences)),
          outcome.passes ? "." : ": the method finds effects that do not exist.");
    case RefuteCheck::kFeature:
      return fmt::format("A random feature typically changed the estimate by {}{}", moved,
                         outcome.passes ? "." : ": more data or fewer features would help.");
    case RefuteCheck::kSubset:
      return fmt::format("Leaving out a tenth of the units typically changed the estimate by {}{}",
                         moved, outcome.passes ? "." : ": it depends on a few of them.");
    case RefuteCheck::kSeeds:
      return fmt::format("Other folds typically changed the estimate by {}{}", moved,
                         outcome.passes ? "." : ": report a median over several seeds.");
    case RefuteCheck::kBootstrap:
      return fmt::format(
          "Refitted to bootstrap samples with known truth, the estimate had a root mean square "
          "error of {}{}",
          moved,
          outcome.passes ? fmt::format(", within the tolerance of the standard error ({}).",
                                       number(answer.standard_error))
                         : fmt::format(", more than the standard error ({}): confidence "
                                       "intervals are too narrow.",
                                       number(answer.standard_error)));
  }
  return "";
}

std::string refutation_text(const Refutation& refutation) {
  std::string text;
  for (const RefutedPolicy& policy : refutation.policies) {
    const int decimals = refutation_decimals(policy);
    const auto number = [&](double value) { return sentence("{:.{}f}", value, decimals); };
    text += fmt::format("policy {}: {} compared with the logged policy (standard error {})\n\n",
                        printable(policy.policy), sentence("{:+.{}f}", policy.difference, decimals),
                        number(policy.standard_error));
    TextTable table({{"check", TextTable::Align::kLeft},
                     {"reruns"},
                     {"moved"},
                     {"allowed"},
                     {"verdict", TextTable::Align::kLeft}});
    for (const CheckOutcome& outcome : policy.checks) {
      table.add_row({std::string(enum_name(outcome.check)),
                     std::to_string(outcome.differences.size()), number(outcome.moved),
                     number(outcome.allowed),
                     outcome.differences.empty() ? "unknown"
                     : outcome.passes            ? "passes"
                                                 : "FAILS"});
    }
    text += table.to_string() + "\n";
    for (const CheckOutcome& outcome : policy.checks) {
      text += "  " + check_sentence(outcome, policy) + "\n";
    }
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const Refutation& refutation) {
  nlohmann::ordered_json json = {{"schema", std::string(kRefutationSchema)},
                                 {"version", std::string(kVersion)},
                                 {"commit", std::string(build_commit())},
                                 {"config", option_json(refutation.options)},
                                 {"seed", refutation.seed},
                                 {"data_checksum", refutation.data_checksum},
                                 {"policies", nlohmann::ordered_json::array()}};
  for (const RefutedPolicy& policy : refutation.policies) {
    nlohmann::ordered_json entry = {
        {"name", policy.policy},
        {"difference", json_number(policy.difference)},
        {"standard_error", json_number(policy.standard_error)},
        {"population_standard_error", json_number(policy.population_standard_error)},
        {"checks", nlohmann::ordered_json::array()}};
    for (const CheckOutcome& outcome : policy.checks) {
      entry["checks"].push_back({{"check", std::string(enum_name(outcome.check))},
                                 {"differences", outcome.differences},
                                 {"moved", json_number(outcome.moved)},
                                 {"allowed", json_number(outcome.allowed)},
                                 {"passes", outcome.passes},
                                 {"sentence", check_sentence(outcome, policy)}});
    }
    json["policies"].push_back(std::move(entry));
  }
  return json;
}

}  // namespace cone

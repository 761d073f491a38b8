#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "base/readable_number.hpp"
#include "results/ridge_text.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

std::string mean_effects_text(std::span<const std::string> arms, const NodeEffects& effects,
                              std::span<const double> units) {
  TextTable table({{"arm", TextTable::Align::kLeft},
                   {"mean effect"},
                   {"sd of a node"},
                   {"positive"},
                   {"negative"}});
  const auto n = static_cast<double>(effects.effect.rows());
  for (std::size_t a = 1; a < arms.size(); ++a) {
    CompensatedSum total;
    CompensatedSum squares;
    double positive = 0;
    double negative = 0;
    for (std::size_t i = 0; i < effects.effect.rows(); ++i) {
      const double effect = effects.effect(i, a - 1);
      const double sd = effects.effect_sd(i, a - 1);
      const double count = units.empty() ? 1 : units[i];
      total.add(count * effect);
      squares.add(count * sd * sd);
      if (effect > 2 * sd) positive += count;
      if (effect < -2 * sd) negative += count;
    }
    table.add_row({printable(arms[a]), readable_number(total.value() / n),
                   readable_number(std::sqrt(squares.value() / n)), share_in_percent(positive / n),
                   share_in_percent(negative / n)});
  }
  return table.to_string();
}

/// Per arm, how far its effects are shrunk, and why.
std::string calibration_text(std::span<const std::string> arms, const NodeEffects& effects) {
  constexpr double kTwoSided95 = 1.959963984540054;
  std::string text;
  for (std::size_t k = 0; k < effects.calibration.size(); ++k) {
    const EffectCalibration& found = effects.calibration[k];
    const std::string arm = printable(arms[k + 1]);
    if (!found.unidentified.empty()) {
      text += sentence("Effects of arm {} are not shrunk: no calibration slope, as {}.\n", arm,
                       found.unidentified);
      continue;
    }
    const double margin = kTwoSided95 * found.standard_error;
    text += sentence(
        "Effects of arm {} are shrunk towards their mean by {}: calibration slope {:.2f} (95 % CI "
        "{:.2f} to {:.2f}).\n",
        arm, share_in_percent(found.shrinkage, 0), found.slope, found.slope - margin,
        found.slope + margin);
  }
  return text;
}

}  // namespace

std::string effects_text(std::span<const std::string> arms, const NodeEffects& effects,
                         std::span<const double> units) {
  std::string text = fmt::format(
      "Effects relative to arm {}; positive and negative: beyond two standard deviations{}\n{}\n",
      printable(arms.front()),
      effects.draws > 0 ? sentence(" (from {} draws; relative standard error {:.0f} %)",
                                   effects.draws, 100 / std::sqrt(2.0 * effects.draws))
                        : "",
      mean_effects_text(arms, effects, units));
  text += calibration_text(arms, effects);
  text += "Variance components of the outcomes, given the degree\n";
  text += variance_shares_text(effects.ridge);
  for (const std::string& warning : effects.warnings) text += "! " + warning + "\n";
  return text;
}

}  // namespace cone

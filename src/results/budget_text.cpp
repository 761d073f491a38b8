#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

#include "data/outcome_direction.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostRows = 10;

/// Decimals that show two digits of the widest interval.
int decimals_of_curve(const BudgetCurve& curve) {
  double widest = 0;
  for (const BudgetPoint& point : curve.points) {
    const double width = point.interval.second - point.interval.first;
    if (std::isfinite(width)) widest = std::max(widest, width);
    if (widest == 0) widest = std::abs(point.gain) / 10;
  }
  if (!(widest > 0)) return 4;
  return std::max(2 - static_cast<int>(std::floor(std::log10(widest))), 0);
}

std::string budget_range(const std::pair<double, double>& range, int decimals) {
  if (!std::isfinite(range.first)) return "-";
  return fmt::format("[{}, {}]", fixed_number(range.first, decimals),
                     fixed_number(range.second, decimals));
}

std::string budget_share(double share) { return sentence("{:.3g} %", 100 * share); }

std::string budget_table(const BudgetCurve& curve) {
  const bool has_truth = curve.points.back().truth.has_value();
  const bool has_costs =
      std::ranges::any_of(curve.points, [](const BudgetPoint& p) { return p.cost != 0; });
  const std::string level = sentence("{:g} %", 100 * curve.level);
  std::vector<TextTable::Column> columns = {{"treated"}};
  if (has_costs) columns.push_back({"cost"});
  columns.push_back({"gain"});
  if (has_truth) columns.push_back({"truth"});
  columns.insert(columns.end(), {{level + " CI"},
                                 {"joint " + level + " CI"},
                                 {"sensitivity interval"},
                                 {"gain over random"},
                                 {level + " CI over random"}});
  TextTable table(columns);
  const int decimals = decimals_of_curve(curve);
  const std::size_t last = curve.points.size() - 1;
  const std::size_t step = std::max<std::size_t>(1, (last + kMostRows - 1) / kMostRows);
  for (std::size_t k = 1; k <= last; ++k) {
    if (k % step != 0 && k != last) continue;
    const BudgetPoint& point = curve.points[k];
    std::vector<std::string> cells = {budget_share(point.share)};
    if (has_costs) cells.push_back(fixed_number(point.cost, decimals));
    cells.push_back(fixed_number(point.gain, decimals));
    if (has_truth) cells.push_back(fixed_number(*point.truth, decimals));
    cells.insert(
        cells.end(),
        {budget_range(point.interval, decimals), budget_range(point.joint_interval, decimals),
         budget_range(point.sensitivity_interval, decimals),
         k == last ? "-" : fixed_number(point.over_random, decimals),
         k == last ? "-" : budget_range(point.over_random_interval, decimals)});
    table.add_row(std::move(cells));
  }
  return table.to_string();
}

std::string_view cost_words(const BudgetCurve& curve) {
  if (curve.points.back().cost == 0) return "";
  return curve.lower_is_better ? ", plus costs" : ", net of costs";
}

}  // namespace

std::string ranking_sentence(const BudgetCurve& curve) {
  const RankingArea& area = curve.qini;
  if (!std::isfinite(area.standard_error)) {
    return sentence(
        "Averaged over all budgets, the gain of the ranking over random assignment is {:.3g} per "
        "unit; no valid interval.",
        area.value);
  }
  const bool is_supported = area.verdict == ComparisonVerdict::kSupported;
  const auto [low, high] = area.interval;
  std::string figures = sentence(
      "averaged over all budgets, its gain over random assignment is {:.3g} per unit "
      "({:.3g} to {:.3g}",
      area.value, low, high);
  if (area.sensitivity_interval && area.verdict != ComparisonVerdict::kNotShown) {
    figures += sentence("; {:.3g} to {:.3g} with an unmeasured confounder as strong as the network",
                        area.sensitivity_interval->first, area.sensitivity_interval->second);
  }
  if (area.verdict == ComparisonVerdict::kNotShown) {
    return fmt::format("The ranking is not shown to be better than random assignment: {}).",
                       figures);
  }
  return fmt::format("The ranking is {} than random assignment{}: {}).",
                     (low > 0) != curve.lower_is_better ? "better" : "WORSE",
                     is_supported ? "" : ", conditional on no unmeasured confounding", figures);
}

std::string budget_curve_text(const BudgetCurve& curve) {
  std::string text = fmt::format(
      "Budgets: {} for the units ranked first by {} {}; estimator {}. Gain: per unit of the {}, "
      "over no treatment{}; {}.\n\n{}\n",
      printable(curve.arm), curve.is_policy ? "the policy" : "the column", printable(curve.ranking),
      curve.estimator, enum_name(curve.target), cost_words(curve),
      direction_text("", curve.lower_is_better), budget_table(curve));
  if (curve.points.back().truth && curve.target == Target::kPopulation) {
    text += "The truth is that of the sample: --target sample gives the intervals to compare.\n";
  }
  text += ranking_sentence(curve) + '\n';
  text += curve.best_share == 0
              ? fmt::format("The estimated gain is {} at no budget.\n",
                            curve.lower_is_better ? "negative" : "positive")
              : fmt::format("The estimated gain is {} with {} of the units treated.\n",
                            curve.lower_is_better ? "lowest" : "largest",
                            budget_share(curve.best_share));
  for (const std::string& warning : curve.warnings) text += "! " + warning + '\n';
  return text;
}

}  // namespace cone

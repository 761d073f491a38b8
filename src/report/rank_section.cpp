#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "report/interval_name.hpp"
#include "report/labels.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"
#include "report/verdict_badge.hpp"

namespace cone::report {
namespace {

/// "sensitivity_ranks" and "sensitivity_may_be_best" allow for unmeasured confounding.
std::string rank_text(const RecordView& policy, std::string_view key) {
  const auto ranks = policy.find(key);
  if (!ranks) return std::string(kNoNumber);
  const auto [best, worst] = ranks->range();
  if (!std::isfinite(best) || !std::isfinite(worst)) return std::string(kNoNumber);
  if (best == worst) return count_text(best);
  return count_text(best) + " to " + count_text(worst);
}

Html rank_table(const RecordView& decision) {
  Table table({"policy", "ranks", "ranks without unmeasured confounding", "may be the best",
               "may be the best without unmeasured confounding", "regret, at most"});
  const auto yes_or_no = [](bool flag) { return flag ? "yes" : "no"; };
  for (const RecordView& policy : decision.at("policies").entries()) {
    const RecordView may_be_best = policy.at("may_be_best");
    const std::string with_confounder = rank_text(policy, "sensitivity_ranks");
    const bool is_known = with_confounder != kNoNumber;
    table.add_row(
        {policy.text("name"), is_known ? with_confounder : rank_text(policy, "ranks"),
         rank_text(policy, "ranks"),
         yes_or_no(is_known ? policy.at("sensitivity_may_be_best").flag() : may_be_best.flag()),
         yes_or_no(may_be_best.flag()), number_text(policy.number("regret"))});
  }
  return html(
      "<details><summary>Ranks</summary><p class=\"soft\">1 is the best. Simultaneous confidence "
      "sets of the ranks, at the level of the intervals; the first column allows for an unmeasured "
      "confounder as strong as the sensitivity intervals do, where there are any. Regret: upper "
      "bound of the loss from choosing the policy instead of the best of the others.</p>\n{}"
      "</details>\n",
      table.finish("Ranks of the policies"));
}

/// With more policies the pairs are a matrix without intervals.
constexpr std::size_t kMostListedPolicies = 8;

Html listed_pairs(const std::vector<RecordView>& pairs, const std::string& level) {
  Table table({"pair", "difference", level, "joint " + level, "adjusted p", "sensitivity interval",
               "verdict"});
  for (const RecordView& pair : pairs) {
    const auto sensitivity = pair.find("sensitivity_interval");
    const auto verdict = pair.find("verdict");
    table.add_row({pair.text("first") + " minus " + pair.text("second"),
                   signed_text(pair.number("difference")), range_text(pair.range("interval")),
                   range_text(pair.range("joint_interval")), p_text(pair.number("p")),
                   sensitivity ? range_text(sensitivity->range()) : std::string(kNoNumber),
                   verdict ? spell_verdict(verdict->text()) : std::string(kNoNumber)});
  }
  return table.finish("Differences of all pairs");
}

/// Row less column, to three digits; a star where the joint interval excludes zero.
Html pair_matrix(const std::vector<std::string>& names, const std::vector<RecordView>& pairs) {
  std::map<std::pair<std::string, std::string>, std::string> cells;
  for (const RecordView& pair : pairs) {
    const auto [low, high] = pair.range("joint_interval");
    const double difference = pair.number("difference");
    const std::string star = low > 0 || high < 0 ? "*" : "";
    const auto cell = [&](double value) {
      return std::isfinite(value) ? fmt::format("{:+.3g}{}", value, star) : std::string(kNoNumber);
    };
    cells[{pair.text("first"), pair.text("second")}] = cell(difference);
    cells[{pair.text("second"), pair.text("first")}] = cell(-difference);
  }
  std::vector<std::string> titles = {"row minus column"};
  const std::vector<std::string> labels = label_texts(names, 16);
  titles.insert(titles.end(), labels.begin(), labels.empty() ? labels.end() : labels.end() - 1);
  Table table(titles);
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::vector<std::string> row = {names[i]};
    for (std::size_t j = 0; j < i; ++j) row.push_back(cells[{names[i], names[j]}]);
    table.add_row(row);
  }
  return html("<p class=\"soft\">*: the joint interval of the pair excludes zero.</p>\n{}",
              table.finish("Differences of all pairs"));
}

Html pair_table(const RecordView& decision) {
  const std::vector<RecordView> pairs = decision.entries("differences");
  if (const auto left_out = decision.find("num_differences_left_out")) {
    return html(
        "<p class=\"soft\">The record does not list the differences of {} pairs of policies; ranks "
        "use all pairs. cone evaluate --list-pairs-up-to lists them.</p>\n",
        count_text(left_out->number()));
  }
  if (pairs.empty()) return {};
  std::vector<std::string> names;
  for (const RecordView& policy : decision.at("policies").entries()) {
    names.push_back(policy.text("name"));
  }
  return html("<details><summary>All pairs of policies ({})</summary>{}</details>\n", pairs.size(),
              names.size() <= kMostListedPolicies ? listed_pairs(pairs, interval_name(decision))
                                                  : pair_matrix(names, pairs));
}

}  // namespace

Html rank_section(const RecordView& decision) {
  Html out = rank_table(decision);
  out += pair_table(decision);
  return out;
}

}  // namespace cone::report

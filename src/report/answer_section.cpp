#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "report/forest_chart.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

/// A policy of the decision, net of cost where arms have costs.
struct DecidedRow {
  std::string name;
  bool is_logged = false;
  double value = 0;
  Range interval, robust;
  double gain = 0;
  Range gain_interval = kNoRange, robust_gain = kNoRange;
  std::optional<double> truth;
};

std::map<std::string, double> truths_of(const RecordView& evaluation) {
  std::map<std::string, double> truths;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    if (const auto truth = policy.find("truth")) truths[policy.text("name")] = truth->number();
  }
  return truths;
}

std::vector<DecidedRow> read_decided(const RecordView& evaluation) {
  const std::map<std::string, double> truths = truths_of(evaluation);
  std::vector<DecidedRow> rows;
  for (const RecordView& policy : evaluation.at("decision").at("policies").entries()) {
    DecidedRow row{.name = policy.text("name"), .is_logged = policy.at("is_logged").flag()};
    const auto cost = policy.find("cost");
    row.value = policy.number(cost ? "net_value" : "value");
    row.interval = policy.range(cost ? "net_interval" : "interval");
    row.robust = policy.range(cost ? "net_robust_interval" : "robust_interval");
    if (!row.is_logged) {
      row.gain = policy.number("gain");
      row.gain_interval = policy.range("gain_interval");
      row.robust_gain = policy.range("robust_gain_interval");
    }
    if (const auto truth = truths.find(row.name); truth != truths.end()) {
      row.truth = truth->second - (cost ? cost->number() : 0);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string level_text(const RecordView& decision) {
  return number_text(100 * decision.number("level")) + " % interval";
}

Html value_figure(const RecordView& evaluation, const std::vector<DecidedRow>& decided) {
  const RecordView decision = evaluation.at("decision");
  const std::string level = level_text(decision);
  const bool has_costs = decision.find("costs").has_value();
  const std::string utility = has_costs ? "Net utility" : "Utility";
  std::vector<ForestRow> rows;
  Table table({"policy", utility, level, "robust interval", "truth"});
  std::optional<double> done;
  for (const DecidedRow& row : decided) {
    const bool is_known = row.is_logged && row.interval.first == row.interval.second;
    rows.push_back({.label = row.name,
                    .value = row.value,
                    .inner = is_known ? kNoRange : row.interval,
                    .outer = row.robust,
                    .truth = row.truth,
                    .is_reference = row.is_logged});
    if (row.is_logged) done = row.value;
    table.add_row({row.name, number_text(row.value), is_known ? "known" : range_text(row.interval),
                   range_text(row.robust),
                   row.truth ? number_text(*row.truth) : std::string(kNoNumber)});
  }
  const Html chart = forest_chart(
      rows,
      {.title = utility + " of every policy, with intervals",
       .description = "One line per policy: the value as a mark, the sampling interval as a "
                      "thick line, the robust interval as a dashed line. The dotted vertical "
                      "line is the value of what was done.",
       .axis_name = has_costs ? "mean outcome per person, less cost" : "mean outcome per person",
       .reference = done});
  Html words = forest_legend(rows, level, "robust interval");
  return figure(utility + " of every policy, by " + decision.text("estimator"), words, chart,
                table.finish(utility + " of every policy"));
}

Html gain_figure(const RecordView& decision, const std::vector<DecidedRow>& decided) {
  const std::string level = level_text(decision);
  std::vector<ForestRow> rows;
  Table table({"policy", "gain", level, "robust interval"});
  for (const DecidedRow& row : decided) {
    if (row.is_logged) continue;
    rows.push_back({.label = row.name,
                    .value = row.gain,
                    .inner = row.gain_interval,
                    .outer = row.robust_gain});
    table.add_row({row.name, signed_text(row.gain), range_text(row.gain_interval),
                   range_text(row.robust_gain)});
  }
  const Html chart =
      forest_chart(rows, {.title = "Gain of every policy over what was done",
                          .description = "One line per policy. Right of the dotted line at zero it "
                                         "does better than what was done, left of it worse.",
                          .axis_name = "gain per person over what was done",
                          .reference = 0.0});
  return figure("Difference from what was done", forest_legend(rows, level, "robust interval"),
                chart, table.finish("Gains over what was done"));
}

std::string rank_text(const RecordView& policy) {
  const auto [best, worst] = policy.range("ranks");
  if (!std::isfinite(best) || !std::isfinite(worst)) return std::string(kNoNumber);
  if (best == worst) return count_text(best);
  return count_text(best) + " to " + count_text(worst);
}

Html rank_table(const RecordView& decision) {
  Table table({"policy", "possible ranks", "may be the best", "may lose at most"});
  for (const RecordView& policy : decision.at("policies").entries()) {
    table.add_row({policy.text("name"), rank_text(policy),
                   policy.at("may_be_best").flag() ? "yes" : "no",
                   number_text(policy.number("regret"))});
  }
  return html(
      "<h3>Ranks</h3>\n<p class=\"soft\">1 is the best. A policy may have any of its possible "
      "ranks; "
      "all sets hold at once with the level of the intervals. The last column is what choosing the "
      "policy may lose against the best of the others.</p>\n{}",
      table.finish("Ranks of the policies"));
}

/// Beyond this many policies pairs are a table of policies × policies, without intervals.
constexpr std::size_t kMostListedPolicies = 8;

Html listed_pairs(const std::vector<RecordView>& pairs) {
  Table table({"pair", "difference", "interval", "joint interval", "adjusted p"});
  for (const RecordView& pair : pairs) {
    table.add_row({pair.text("first") + " less " + pair.text("second"),
                   signed_text(pair.number("difference")), range_text(pair.range("interval")),
                   range_text(pair.range("joint_interval")), p_text(pair.number("p"))});
  }
  return table.finish("Differences of all pairs");
}

/// Row less column, to three digits; a star where the joint interval has no zero in it.
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
  std::vector<std::string> titles = {"row less column"};
  for (std::size_t j = 0; j + 1 < names.size(); ++j) titles.push_back(cut_text(names[j], 16));
  Table table(titles);
  for (std::size_t i = 1; i < names.size(); ++i) {
    std::vector<std::string> row = {names[i]};
    for (std::size_t j = 0; j < i; ++j) row.push_back(cells[{names[i], names[j]}]);
    table.add_row(row);
  }
  return html("<p class=\"soft\">*: the joint interval of the pair leaves zero out.</p>\n{}",
              table.finish("Differences of all pairs"));
}

Html pair_table(const RecordView& decision) {
  const std::vector<RecordView> pairs = decision.entries("differences");
  if (pairs.empty()) return {};
  std::vector<std::string> names;
  for (const RecordView& policy : decision.at("policies").entries()) {
    names.push_back(policy.text("name"));
  }
  return html(
      "<details><summary>All pairs of policies ({})</summary>{}</details>\n", pairs.size(),
      names.size() <= kMostListedPolicies ? listed_pairs(pairs) : pair_matrix(names, pairs));
}

/// What every policy is worth in words; beyond the first few, on demand.
Html decision_sentences(const RecordView& decision) {
  constexpr std::size_t kMostSentences = 6;
  Html first, rest;
  std::size_t count = 0;
  for (const RecordView& policy : decision.at("policies").entries()) {
    const auto sentence = policy.find("sentence");
    if (!sentence) continue;
    (count++ < kMostSentences ? first : rest) += html("<li>{}\n", sentence->text());
  }
  Html out = html("<ul>{}</ul>\n", first);
  if (!rest.empty()) {
    out += html("<details><summary>{} more policies in words</summary><ul>{}</ul></details>\n",
                count - kMostSentences, rest);
  }
  return out;
}

}  // namespace

Html answer_section(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  if (!decision) {
    return html(
        "<p class=\"lead\">No estimator of this run allows a comparison of the policies.</p>\n"
        "<p>The values by every estimator are below.</p>\n");
  }
  const std::string summary = decision->text("summary");
  Html out;
  if (!summary.empty()) out += html("<p class=\"lead\">{}</p>\n", summary);
  out += decision_sentences(*decision);
  const std::vector<DecidedRow> decided = read_decided(evaluation);
  out += value_figure(evaluation, decided);
  out += gain_figure(*decision, decided);
  out += rank_table(*decision);
  out += pair_table(*decision);
  return out;
}

}  // namespace cone::report

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "cone/options.hpp"

#include "report/direction.hpp"
#include "report/forest_chart.hpp"
#include "report/interval_name.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"
#include "report/verdict_badge.hpp"

namespace cone::report {
namespace {

/// A policy of the decision, net of cost where arms have costs.
struct DecidedRow {
  std::string name;
  bool is_logged = false;
  double value = 0;
  Range interval, sensitivity_interval;
  Range other_target_interval = kNoRange;
  double gain = 0;
  Range gain_interval = kNoRange, sensitivity_gain = kNoRange;
  std::optional<double> truth;
};

std::map<std::string, double> truths_of(const RecordView& evaluation) {
  std::map<std::string, double> truths;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    if (const auto truth = policy.find("truth")) truths[policy.text("name")] = truth->number();
  }
  return truths;
}

/// Of the second interval of every value. The target may be missing from a record.
std::string other_target(const RecordView& decision) {
  const auto target = decision.find("target");
  return target && target->text() == "population" ? "sample" : "population";
}

std::vector<DecidedRow> read_decided(const RecordView& evaluation) {
  const std::map<std::string, double> truths = truths_of(evaluation);
  const double sign = direction_sign(prefers_lower(evaluation.at("decision")));
  std::vector<DecidedRow> rows;
  const bool is_for_population = other_target(evaluation.at("decision")) == "sample";
  for (const RecordView& policy : evaluation.at("decision").at("policies").entries()) {
    DecidedRow row{.name = policy.text("name"), .is_logged = policy.at("is_logged").flag()};
    const auto cost = policy.find("cost");
    row.value = policy.number(cost ? "net_value" : "value");
    row.interval = policy.range(cost ? "net_interval" : "interval");
    row.sensitivity_interval =
        policy.range(cost ? "net_sensitivity_interval" : "sensitivity_interval");
    // The mean cost is known for the sample only.
    if (policy.find("other_target_interval") && (!cost || is_for_population)) {
      const auto [low, high] = policy.range("other_target_interval");
      const double less = cost ? sign * cost->number() : 0;
      row.other_target_interval = {low - less, high - less};
    }
    if (!row.is_logged) {
      row.gain = policy.number("gain");
      row.gain_interval = policy.range("gain_interval");
      row.sensitivity_gain = policy.range("sensitivity_gain_interval");
    }
    if (const auto truth = truths.find(row.name); truth != truths.end()) {
      row.truth = truth->second - sign * (cost ? cost->number() : 0);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Html value_figure(const RecordView& evaluation, const std::vector<DecidedRow>& decided) {
  const RecordView decision = evaluation.at("decision");
  const std::string level = interval_name(decision);
  const bool has_costs = decision.find("costs").has_value();
  const std::string value = has_costs ? "Net value" : "Value";
  std::vector<ForestRow> rows;
  Table table({"policy", has_costs ? "net value" : "value", level,
               level + ", " + other_target(decision), "sensitivity interval", "truth"});
  std::optional<double> logged;
  for (const DecidedRow& row : decided) {
    const bool is_known = row.is_logged && row.interval.first == row.interval.second;
    rows.push_back({.label = row.name,
                    .value = row.value,
                    .inner = is_known ? kNoRange : row.interval,
                    .outer = row.sensitivity_interval,
                    .truth = row.truth,
                    .is_reference = row.is_logged});
    if (row.is_logged) logged = row.value;
    table.add_row({row.name, number_text(row.value), is_known ? "known" : range_text(row.interval),
                   range_text(row.other_target_interval), range_text(row.sensitivity_interval),
                   row.truth ? number_text(*row.truth) : std::string(kNoNumber)});
  }
  const Html chart = forest_chart(
      rows, {.title = value + " of every policy, with intervals",
             .description =
                 "One row per policy: the estimated value as a mark, the confidence interval as "
                 "a thick line, the sensitivity interval as a dashed line. The dotted "
                 "vertical line is the value of the logged policy.",
             .axis_name = !has_costs                ? "mean outcome per unit"
                          : prefers_lower(decision) ? "mean outcome per unit, plus cost"
                                                    : "mean outcome per unit, less cost",
             .reference = logged});
  Html words = forest_legend(rows, level, "sensitivity interval");
  return figure(value + " of every policy; estimator " + decision.text("estimator"), words, chart,
                table.finish(value + " of every policy"));
}

Html gain_figure(const RecordView& decision, const std::vector<DecidedRow>& decided) {
  const std::string level = interval_name(decision);
  const bool lower_is_better = prefers_lower(decision);
  std::vector<ForestRow> rows;
  Table table({"policy", "gain", level + " of the gain", "sensitivity interval"});
  for (const DecidedRow& row : decided) {
    if (row.is_logged) continue;
    rows.push_back({.label = row.name,
                    .value = row.gain,
                    .inner = row.gain_interval,
                    .outer = row.sensitivity_gain});
    table.add_row({row.name, signed_text(row.gain), range_text(row.gain_interval),
                   range_text(row.sensitivity_gain)});
  }
  const Html chart = forest_chart(
      rows, {.title = "Gain of every policy over the logged policy",
             .description = fmt::format(
                 "One row per policy. {} of the dotted line at zero it is better than "
                 "the logged policy, {} of it worse.",
                 lower_is_better ? "Left" : "Right", lower_is_better ? "right" : "left"),
             .axis_name = "gain per unit over the logged policy",
             .reference = 0.0});
  return figure("Gain over the logged policy", forest_legend(rows, level, "sensitivity interval"),
                chart, table.finish("Gain over the logged policy"));
}

/// The estimand, and what is done with costs. The target may be missing from a record.
Html target_line(const RecordView& decision) {
  Html words;
  if (const auto target = decision.find("target")) {
    words +=
        html("Values and intervals are {}", target->text() == "population"
                                                ? "for the population that the data is a sample of."
                                                : "for the sample, the units in the data.");
  }
  for (const RecordView& policy : decision.at("policies").entries()) {
    if (!policy.find("cost")) continue;
    words += html(
        " Costs are {} here; the estimates of all estimators and the diagnostics below are before "
        "costs.",
        std::string_view(prefers_lower(decision) ? "added" : "subtracted"));
    break;
  }
  return words.empty() ? words : html("<p class=\"soft\">{}</p>\n", words);
}

/// The strength behind the sensitivity intervals where the gain from the network is not
/// significant.
Html strength_line(const RecordView& evaluation) {
  const auto diagnostics = evaluation.find("diagnostics");
  const auto strength = diagnostics ? diagnostics->find("network_strength") : std::nullopt;
  const auto is_clear = strength ? strength->find("is_clear") : std::nullopt;
  if (!is_clear || is_clear->flag()) return {};
  return html(
      "<p class=\"soft\">The network does not significantly improve the treatment model beyond the "
      "features; sensitivity intervals use the upper confidence limit of that improvement.</p>\n");
}

/// One sentence per policy, those that may be the best first; beyond the first few, folded.
Html decision_sentences(const RecordView& decision) {
  constexpr std::size_t kMostSentences = 6;
  struct Line {
    bool may_be_best;
    double gain;  ///< the larger the better
    Html sentence;
  };
  const double sign = direction_sign(prefers_lower(decision));
  std::vector<Line> lines;
  for (const RecordView& policy : decision.at("policies").entries()) {
    const auto sentence = policy.find("sentence");
    if (!sentence) continue;
    const auto gain = policy.find("gain");
    const double size = gain ? gain->number() : 0;
    const auto ranks = policy.find("sensitivity_ranks");
    const bool is_known = ranks && std::isfinite(ranks->range().first);
    const auto may_be_best = policy.find(is_known ? "sensitivity_may_be_best" : "may_be_best");
    lines.push_back({may_be_best && may_be_best->flag(),
                     std::isfinite(size) ? sign * size : -std::numeric_limits<double>::infinity(),
                     html("{}{}", verdict_badge(policy), sentence->text())});
  }
  // A few policies stay in the order given by the user.
  if (lines.size() > kMostSentences) {
    std::ranges::stable_sort(lines, [](const Line& a, const Line& b) {
      return a.may_be_best != b.may_be_best ? a.may_be_best : a.gain > b.gain;
    });
  }
  Html first, rest;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    (i < kMostSentences ? first : rest) += html("<li>{}\n", lines[i].sentence);
  }
  Html out = html("<ul>{}</ul>\n", first);
  if (!rest.empty()) {
    out += html("<details><summary>{} more policies</summary><ul>{}</ul></details>\n",
                lines.size() - kMostSentences, rest);
  }
  return out;
}

}  // namespace

Html answer_section(const RecordView& evaluation) {
  const auto decision = evaluation.find("decision");
  if (!decision) {
    return html(
        "<section class=\"answer\" id=\"answer\"><p class=\"lead\">No estimator of this run allows "
        "a "
        "comparison of the policies.</p>\n{}</section>\n"
        "<p>The estimates of every estimator are below.</p>\n",
        warnings_box(evaluation));
  }
  const std::string summary = decision->text("summary");
  Html answer;
  if (!summary.empty()) answer += html("<p class=\"lead\">{}</p>\n", summary);
  answer += decision_sentences(*decision);
  if (const auto effect = decision->find("effect"); effect && !effect->is_null()) {
    answer += html("<p>{}{}</p>\n", verdict_badge(*effect), effect->text("sentence"));
  }
  answer += strength_line(evaluation);
  answer += warnings_box(evaluation);
  Html out = html("<section class=\"answer\" id=\"answer\">{}</section>\n", answer);
  out += target_line(*decision);
  const std::vector<DecidedRow> decided = read_decided(evaluation);
  out += value_figure(evaluation, decided);
  out += gain_figure(*decision, decided);
  out += rank_section(*decision);
  return out;
}

}  // namespace cone::report

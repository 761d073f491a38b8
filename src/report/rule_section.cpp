#include <fmt/format.h>

#include "report/direction.hpp"
#include "report/forest_chart.hpp"
#include "report/interval_name.hpp"
#include "report/number_text.hpp"
#include "report/sections.hpp"
#include "report/table.hpp"
#include "report/verdict_badge.hpp"

namespace cone::report {
namespace {

constexpr int kDeepestTree = 12;

/// Nested lists fit on a phone, and screen readers read them in order.
Html tree_list(const RecordView& node, double num_all, int depth) {
  if (depth > kDeepestTree) node.fail("is too deep a tree to draw");
  const double count = node.number("num_nodes");
  const std::string size =
      fmt::format("{} nodes, {}", count_text(count), percent_text(count / num_all));
  if (const auto arm = node.find("arm")) {
    return html("<span class=\"leaf-box\">assign <b>{}</b></span> <small>{}</small>", arm->text(),
                size);
  }
  return html(
      "<span class=\"split-box\">{} ≤ {}?</span> <small>{}</small>\n<ul><li>yes: {}\n<li>no: "
      "{}</ul>",
      node.text("column"), number_text(node.number("threshold")), size,
      tree_list(node.at("yes"), num_all, depth + 1), tree_list(node.at("no"), num_all, depth + 1));
}

}  // namespace

Html rule_section(const RecordView& rule, const Html& cautions) {
  const RecordView tree = rule.at("tree");
  const bool lower_is_better = prefers_lower(rule);
  std::vector<ForestRow> rows;
  const auto config = rule.find("config");
  const std::string level = config ? interval_name(*config) : "CI";
  Table table({"alternative", "value", "gain of the rule", level + " of the gain",
               "sensitivity interval", "verdict", "treated"});
  for (const RecordView& other : rule.at("comparisons").entries()) {
    rows.push_back({.label = other.text("name"),
                    .value = other.number("gain"),
                    .inner = other.range("sampling_gain_interval"),
                    .outer = other.range("sensitivity_gain_interval")});
    table.add_row(
        {other.text("name"), number_text(other.number("value")), signed_text(other.number("gain")),
         range_text(other.range("sampling_gain_interval")),
         range_text(other.range("sensitivity_gain_interval")), spell_verdict(other.text("verdict")),
         percent_text(other.number("treated_fraction"))});
  }
  const RecordView learnt = rule.at("rule");
  Html sentences;
  for (const RecordView& other : rule.at("comparisons").entries()) {
    if (other.text("name") == "best single arm") continue;  // one of those that follow
    sentences += html("<li>{}{}\n", verdict_badge(other), other.text("sentence"));
  }
  if (!sentences.empty()) sentences = html("<ul>{}</ul>\n", sentences);
  Html warnings;
  for (const RecordView& warning : rule.entries("warnings")) {
    warnings += html("<li class=\"caution\"><b>Warning</b>: {}\n", warning.text());
  }
  if (!warnings.empty()) warnings = html("<ul class=\"verdicts\">{}</ul>\n", warnings);
  return html(
      "<h2>The learnt rule</h2>\n<p class=\"soft\">Outcome: {}.</p>\n<section class=\"answer\">"
      "<p class=\"lead\">{}</p>\n{}{}{}</section>\n<div class=\"tree\">{}</div>\n"
      "<p>Cross-fitted value{}: {} {}.</p>\n{}",
      direction_words(rule), rule.text("summary"), sentences, cautions, warnings,
      tree_list(tree, tree.number("num_nodes"), 0),
      !takes_costs(rule) ? ""
      : lower_is_better  ? ", plus costs"
                         : ", net of costs",
      number_text(learnt.number("value")), range_text(learnt.range("sampling_interval")),
      figure("Gain of the learnt rule over each alternative",
             forest_legend(rows, level, "sensitivity interval"),
             forest_chart(rows, {.title = "Gain of the learnt rule",
                                 .description = fmt::format(
                                     "One row per alternative; {} of zero the rule is better.",
                                     lower_is_better ? "left" : "right"),
                                 .axis_name = "gain of the rule per unit",
                                 .reference = 0.0}),
             table.finish("Gain of the learnt rule")));
}

}  // namespace cone::report

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts.hpp"
#include "report/forest_chart.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {

Html specification_figure(const RecordView& policy) {
  std::vector<ForestRow> rows;
  Html reasons;
  Table table({"estimator", "value", "standard error", "interval", "robust interval",
               "effective nodes", "largest weight"});
  const auto truth = policy.find("truth");
  for (const RecordView& e : policy.at("estimates").entries()) {
    const std::string name = e.text("estimator");
    const std::vector<std::string> warnings = e.at("warnings").texts();
    const auto robust = e.find("robust_interval");
    const ForestRow row{.label = name,
                        .value = e.number("value"),
                        .inner = e.range("interval"),
                        .outer = robust ? robust->range() : kNoRange,
                        .is_struck = e.text("status") != "ok"};
    rows.push_back(row);
    table.add_row(std::vector{row.is_struck ? html("<del>{}</del>", name) : Html::text(name),
                              Html::text(number_text(row.value)),
                              Html::text(number_text(e.number("standard_error"))),
                              Html::text(range_text(row.inner)), Html::text(range_text(row.outer)),
                              Html::text(count_text(e.number("effective_sample_size"))),
                              Html::text(number_text(e.number("max_weight")))});
    if (!row.is_struck) continue;
    std::string joined;
    for (const std::string& warning : warnings) joined += (joined.empty() ? "" : "; ") + warning;
    reasons += html("<li><del>{}</del>: {}\n", name, joined.empty() ? "no value exists" : joined);
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(), [](const ForestRow& a, const ForestRow& b) {
    if (a.is_struck != b.is_struck) return b.is_struck;
    return std::isfinite(a.value) && (!std::isfinite(b.value) || a.value > b.value);
  });
  const std::string name = policy.text("name");
  std::optional<double> reference;
  if (truth && std::isfinite(truth->number())) reference = truth->number();
  Html words = forest_legend(rows, "interval", "robust interval");
  if (reference) {
    words += html("<p class=\"legend\">The dotted line is the truth of the simulation: {}.</p>\n",
                  number_text(*reference));
  }
  if (!reasons.empty()) words += html("<ul class=\"soft\">{}</ul>\n", reasons);
  return figure(name, words,
                forest_chart(rows, {.title = "Every estimator's value of " + name,
                                    .description = "One line per estimator, from high to low; "
                                                   "those that fail their checks are struck out "
                                                   "and come last.",
                                    .reference = reference}),
                table.finish("Every estimator's value of " + name));
}

}  // namespace cone::report

#include "report/charts.hpp"
#include "report/sections.hpp"

namespace cone::report {

Html specification_section(const RecordView& evaluation) {
  Html figures;
  for (const RecordView& policy : evaluation.at("policies").entries()) {
    figures += specification_figure(policy);
  }
  Html out;
  if (!figures.empty()) {
    out = html(
        "<h2 id=\"estimators\">Every estimator's answer</h2>\n<p>Where estimators that pass their "
        "checks agree, the answer does not hang on the method. Those that fail are struck out, "
        "with the reason.</p>\n<div class=\"pair\">{}</div>\n",
        figures);
  }
  Html curves;
  for (const RecordView& curve : evaluation.entries("budget_curves"))
    curves += budget_figure(curve);
  if (!curves.empty()) out += html("<h2 id=\"budgets\">What a budget buys</h2>\n{}", curves);
  return out;
}

}  // namespace cone::report

#include <map>

#include "report/charts.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

/// What estimators are warned about whatever the policy: said once.
EstimatorWarnings common_warnings(const std::vector<RecordView>& policies) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const RecordView& policy : policies) {
    for (const RecordView& e : policy.at("estimates").entries()) {
      for (const std::string& warning : e.at("warnings").texts()) {
        ++counts[{e.text("estimator"), warning}];
      }
    }
  }
  EstimatorWarnings common;
  for (const auto& [warning, count] : counts) {
    if (policies.size() > 1 && count == policies.size()) common.insert(warning);
  }
  return common;
}

}  // namespace

Html specification_section(const RecordView& evaluation) {
  const std::vector<RecordView> policies = evaluation.at("policies").entries();
  const EstimatorWarnings common = common_warnings(policies);
  Html figures, said;
  for (const RecordView& policy : policies) figures += specification_figure(policy, common);
  for (const auto& [estimator, warning] : common) {
    said += html("<li>{}: {}\n", estimator, warning);
  }
  if (!said.empty()) said = html("<p>Of every policy:</p>\n<ul>{}</ul>\n", said);
  Html out;
  if (!figures.empty()) {
    out = html(
        "<h2 id=\"estimators\">Every estimator's answer</h2>\n<p>Where estimators that pass their "
        "checks agree, the answer does not hang on the method. Those that fail have a cross (✕) "
        "and the reason below; they do not shape the scale. Thick: the interval; dashed: the "
        "robust "
        "interval.</p>\n{}<div class=\"pair\">{}</div>\n",
        said, figures);
  }
  Html curves;
  for (const RecordView& curve : evaluation.entries("budget_curves"))
    curves += budget_figure(curve);
  if (!curves.empty()) out += html("<h2 id=\"budgets\">What a budget buys</h2>\n{}", curves);
  return out;
}

}  // namespace cone::report

#include <map>

#include "report/charts.hpp"
#include "report/sections.hpp"

namespace cone::report {
namespace {

/// Warnings that an estimator has for every policy: shown once.
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
  const auto target = evaluation.at("config").find("target");
  const std::string target_name = target ? target->text() : "";
  Html figures, said;
  for (const RecordView& policy : policies) {
    figures += specification_figure(policy, common, target_name);
  }
  for (const auto& [estimator, warning] : common) {
    said += html("<li>{}: {}\n", estimator, warning);
  }
  if (!said.empty()) said = html("<p>For every policy:</p>\n<ul>{}</ul>\n", said);
  Html out;
  if (!figures.empty()) {
    out = html(
        "<h2 id=\"estimators\">Estimates of all estimators</h2>\n<details class=\"fold\"><summary>"
        "Other estimators and methods</summary>\n<p>Where the estimators that pass "
        "their diagnostics agree, the answer does not depend on the method. Those that fail are "
        "crossed (✕), with the reason below, and do not affect the scale. Thick: confidence "
        "interval{}; dashed: sensitivity interval.</p>\n{}<div class=\"pair\">{}</div></details>\n",
        target_name.empty() ? std::string() : " for the " + target_name, said, figures);
  }
  Html curves;
  for (const RecordView& curve : evaluation.entries("budget_curves"))
    curves += budget_figure(curve);
  if (!curves.empty()) out += html("<h2 id=\"budgets\">Gain by budget</h2>\n{}", curves);
  return out;
}

}  // namespace cone::report

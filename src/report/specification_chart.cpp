#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts.hpp"
#include "report/forest_chart.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

/// Reasons in the order in which they come, each with the estimators that it is about.
class Reasons {
 public:
  void add(const ForestRow& row, const std::string& reason) {
    const std::string estimator = (row.is_struck ? "✕ " : "") + row.label;
    const auto found = std::find_if(reasons_.begin(), reasons_.end(),
                                    [&](const auto& entry) { return entry.first == reason; });
    if (found == reasons_.end()) {
      reasons_.push_back({reason, {estimator}});
    } else {
      found->second.push_back(estimator);
    }
  }
  Html finish() const {
    Html lines;
    for (const auto& [reason, estimators] : reasons_) {
      lines += html("<li>{}: {}\n", fmt::format("{}", fmt::join(estimators, ", ")), reason);
    }
    return lines.empty() ? lines : html("<ul class=\"soft\">{}</ul>\n", lines);
  }

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

}  // namespace

Html specification_figure(const RecordView& policy, const EstimatorWarnings& said) {
  std::vector<ForestRow> rows;
  Reasons reasons;
  Table table({"estimator", "value", "sampling_interval", "sensitivity interval"});
  const auto truth = policy.find("truth");
  for (const RecordView& e : policy.at("estimates").entries()) {
    const std::string name = e.text("estimator");
    const std::vector<std::string> warnings = e.at("warnings").texts();
    const auto robust = e.find("sensitivity_interval");
    const ForestRow row{.label = name,
                        .value = e.number("value"),
                        .inner = e.range("sampling_interval"),
                        .outer = robust ? robust->range() : kNoRange,
                        .is_struck = e.text("status") != "ok"};
    rows.push_back(row);
    table.add_row(std::vector{Html::text((row.is_struck ? "✕ " : "") + name),
                              Html::text(number_text(row.value)), Html::text(range_text(row.inner)),
                              Html::text(range_text(row.outer))});
    if (row.is_struck && warnings.empty()) reasons.add(row, "no value exists");
    for (const std::string& warning : warnings) {
      if (!said.contains({name, warning})) reasons.add(row, warning);
    }
  }
  if (rows.empty()) return {};
  std::stable_sort(rows.begin(), rows.end(), [](const ForestRow& a, const ForestRow& b) {
    if (a.is_struck != b.is_struck) return b.is_struck;
    return std::isfinite(a.value) && (!std::isfinite(b.value) || a.value > b.value);
  });
  const std::string name = policy.text("name");
  std::optional<double> reference;
  if (truth && std::isfinite(truth->number())) reference = truth->number();
  Html chart = forest_chart(rows, {.title = "Estimates of " + name,
                                   .description = "From high to low; ✕: fails its checks.",
                                   .reference = reference,
                                   .is_brief = true});
  chart += reasons.finish();
  const Html words =
      reference ? html("<p class=\"legend\">dotted: the truth, {}</p>\n", number_text(*reference))
                : Html();
  return figure(name, words, chart, table.finish("Estimates of " + name));
}

}  // namespace cone::report

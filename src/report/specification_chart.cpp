#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/charts.hpp"
#include "report/forest_chart.hpp"
#include "report/interval_name.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"
#include "results/target_notes.hpp"

namespace cone::report {
namespace {

/// Reasons in order of appearance, each with its estimators.
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

/// Whether the intervals of an estimate are for the target of the run: only those are comparable.
bool has_target(const RecordView& estimate, std::string_view target) {
  const auto own = estimate.find("target");
  return target.empty() || !own || own->text() == target;
}

/// Why estimators with an interval for another target show none.
Html target_note(const std::vector<std::string>& estimators, std::string_view target) {
  Html lines;
  for (const std::string& note : other_target_notes(estimators, target)) {
    lines += html("<p class=\"soft\">{}</p>\n", note);
  }
  return lines;
}

}  // namespace

Html specification_figure(const RecordView& policy, const EstimatorWarnings& said,
                          std::string_view target) {
  std::vector<ForestRow> rows;
  Reasons reasons;
  const std::vector<RecordView> estimates = policy.at("estimates").entries();
  if (estimates.empty()) return {};
  Table table({"estimator", "value", interval_name(estimates.front()), "sensitivity interval"});
  const auto truth = policy.find("truth");
  std::vector<std::string> of_other_target;
  for (const RecordView& e : estimates) {
    const std::string name = e.text("estimator");
    const std::vector<std::string> warnings = e.at("warnings").texts();
    const auto sensitivity = e.find("sensitivity_interval");
    const bool is_comparable = has_target(e, target);
    const Range interval = e.range("interval");
    if (!is_comparable && is_finite(interval)) of_other_target.push_back(name);
    const ForestRow row{.label = name,
                        .value = e.number("value"),
                        .inner = is_comparable ? interval : kNoRange,
                        .outer = is_comparable && sensitivity ? sensitivity->range() : kNoRange,
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
  std::stable_sort(rows.begin(), rows.end(), [](const ForestRow& a, const ForestRow& b) {
    if (a.is_struck != b.is_struck) return b.is_struck;
    return std::isfinite(a.value) && (!std::isfinite(b.value) || a.value > b.value);
  });
  const std::string name = policy.text("name");
  std::optional<double> reference;
  if (truth && std::isfinite(truth->number())) reference = truth->number();
  Html chart = forest_chart(rows, {.title = "Estimates of " + name,
                                   .description = "From high to low; ✕: fails its diagnostics.",
                                   .reference = reference,
                                   .is_brief = true});
  chart += target_note(of_other_target, target);
  chart += reasons.finish();
  const Html words =
      reference ? html("<p class=\"legend\">dotted: the truth, {}</p>\n", number_text(*reference))
                : Html();
  return figure(name, words, chart, table.finish("Estimates of " + name));
}

}  // namespace cone::report

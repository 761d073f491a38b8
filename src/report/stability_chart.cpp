#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/labels.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {

Html stability_figure(const RecordView& stability) {
  constexpr double kStripRow = 34;
  constexpr double kStripTop = 6;
  std::vector<RecordView> policies;
  std::vector<double> values;
  Table table({"policy", "values by fold", "p of equal values", "sd over seeds"});
  for (const RecordView& policy : stability.entries()) {
    const std::vector<double> folds = policy.at("by_fold").numbers();
    const auto seed_sd = policy.find("seed_sd");
    if (folds.empty() && !seed_sd) continue;
    values.insert(values.end(), folds.begin(), folds.end());
    std::string listed;
    for (const double fold : folds) listed += (listed.empty() ? "" : ", ") + number_text(fold);
    table.add_row({policy.text("policy"), listed, p_text(policy.number("fold_p")),
                   seed_sd ? number_text(seed_sd->number()) : std::string(kNoNumber)});
    policies.push_back(policy);
  }
  if (values.empty()) return {};
  const Axis axis = make_axis(values);
  const double bottom = kStripTop + kStripRow * static_cast<double>(policies.size());
  Chart chart("Values by fold", "One row per policy, one mark per fold of the cross-fitting.",
              bottom + 38);
  chart.horizontal_axis(axis, kStripTop, bottom, "value on the nodes of one fold");
  std::vector<std::pair<double, double>> points;
  double top = kStripTop;
  std::vector<std::string> names;
  names.reserve(policies.size());
  for (const RecordView& policy : policies) names.push_back(policy.text("policy"));
  const std::vector<std::string> labels = label_texts(names, 36);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    chart.text(0, top + 13, "start", labels[i]);
    for (const double fold : policies[i].at("by_fold").numbers()) {
      if (std::isfinite(fold)) points.emplace_back(axis.share(fold), top + 23);
    }
    top += kStripRow;
  }
  chart.dots(points, "folds");
  return figure("Stability: values by fold", chart.finish(), table.finish("Values by fold"));
}

}  // namespace cone::report

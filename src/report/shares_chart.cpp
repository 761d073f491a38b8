#include <algorithm>
#include <cmath>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/labels.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {

Html shares_figure(const RecordView& shares) {
  constexpr double kShareRow = 40;
  const std::vector<RecordView> arms = shares.entries();
  if (arms.empty()) return {};
  Chart chart("Variance components of the outcome",
              "One bar per arm: own features, network and noise as shares of the outcome variance.",
              kShareRow * static_cast<double>(arms.size()) + 4);
  Table table({"arm", "own features", "network", "noise"});
  std::vector<std::string> names;
  names.reserve(arms.size());
  for (const RecordView& arm : arms) names.push_back(arm.text("arm"));
  const std::vector<std::string> labels = label_texts(names, 20);
  double top = 0;
  for (std::size_t i = 0; i < arms.size(); ++i) {
    const RecordView& arm = arms[i];
    const double own = arm.number("own");
    const double network = arm.number("network");
    const double noise = arm.number("noise");
    table.add_row({arm.text("arm"), percent_text(own), percent_text(network), percent_text(noise)});
    chart.text(0, top + 14, "start", "arm " + labels[i]);
    const auto width = [](double share) {
      return std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0;
    };
    double x = 0;
    const auto add = [&](double share, const char* style) {
      const double used = std::min(width(share), 1 - x);
      chart.bar(x, used, top + 20, 14, style);
      x += used;
    };
    add(own, "one");
    add(network, "two");
    add(noise, "hatch");
    top += kShareRow;
  }
  const Html legend = html(
      "<p class=\"legend\"><span><svg width=\"14\" height=\"12\" aria-hidden=\"true\"><rect "
      "width=\"14\" height=\"12\" class=\"one\"/></svg> own features (left)</span> <span><svg "
      "width=\"14\" height=\"12\" aria-hidden=\"true\"><rect width=\"14\" height=\"12\" "
      "class=\"two\"/></svg> network (middle)</span> <span><svg width=\"14\" height=\"12\" "
      "aria-hidden=\"true\"><rect width=\"14\" height=\"12\" class=\"hatch\"/></svg> noise "
      "(right)</span></p>\n");
  return figure("Variance components of the outcome", legend, chart.finish(),
                table.finish("Variance components"));
}

}  // namespace cone::report

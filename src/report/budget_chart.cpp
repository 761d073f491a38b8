#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/direction.hpp"
#include "report/interval_name.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"
#include "report/verdict_badge.hpp"

namespace cone::report {
namespace {

constexpr double kBudgetTop = 24;
constexpr double kBudgetBottom = 244;

struct CurvePoint {
  double share, gain;
  Range interval, band, sensitivity_interval;
};

std::vector<CurvePoint> read_points(const RecordView& curve) {
  std::vector<CurvePoint> points;
  for (const RecordView& point : curve.at("points").entries()) {
    points.push_back({point.number("share"), point.number("gain"), point.range("interval"),
                      point.range("joint_interval"), point.range("sensitivity_interval")});
  }
  return points;
}

}  // namespace

Html budget_figure(const RecordView& curve) {
  const std::vector<CurvePoint> points = read_points(curve);
  if (points.empty()) return {};
  const std::string level = interval_name(curve);
  std::vector<double> values = {0};
  Table table({"treated", "gain", level, "joint " + level, "sensitivity interval"});
  for (const CurvePoint& point : points) {
    for (const Range& range : {point.interval, point.band, point.sensitivity_interval}) {
      if (is_finite(range)) values.insert(values.end(), {range.first, range.second});
    }
    values.push_back(point.gain);
    table.add_row({percent_text(point.share), signed_text(point.gain), range_text(point.interval),
                   range_text(point.band), range_text(point.sensitivity_interval)});
  }
  const Axis across = make_axis(std::vector{0.0, 1.0}, 5, true);
  const Axis up = make_axis(values, 6);
  const auto x_of = [&](double share) { return across.share(share); };
  const auto y_of = [&](double gain) {
    return kBudgetBottom - up.share(gain) * (kBudgetBottom - kBudgetTop);
  };
  const std::string ranking = curve.text("ranking");
  Chart chart("Gain at every budget, ranked by " + ranking,
              "Gain per unit over no treatment against the share of units treated, those ranked "
              "first. Shaded: joint confidence band; dashed: treatment at random.",
              kBudgetBottom + 38);
  chart.horizontal_axis(across, kBudgetTop, kBudgetBottom, "share of the units treated");
  chart.vertical_axis(up, kBudgetTop, kBudgetBottom, "gain per unit");
  std::vector<std::pair<double, double>> line, area;
  for (const CurvePoint& point : points) {
    if (std::isfinite(point.gain)) line.emplace_back(x_of(point.share), y_of(point.gain));
    if (is_finite(point.band)) area.emplace_back(x_of(point.share), y_of(point.band.second));
  }
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (is_finite(point->band)) area.emplace_back(x_of(point->share), y_of(point->band.first));
  }
  chart.path(area, "area", true);
  chart.line(0, y_of(0), 1, y_of(0), "reference");
  if (!line.empty()) {
    chart.path(std::vector{line.front(), line.back()}, "curve2");
    chart.path(line, "curve");
    for (const auto& [x, y] : line) chart.mark(Marker::kCircle, x, y, "dot small");
  }
  const RecordView qini = curve.at("qini");
  const auto said = curve.find("sentence");  // may be missing from a record
  const Html words = html(
      "<p>{}{}</p>\n<p class=\"legend\"><span>● ranking, with joint confidence band</span> "
      "<span>- - at random</span></p>\n<p class=\"soft\">The estimated gain is {} with {} "
      "treated. Area over random assignment (Qini): {} {}, p {}.</p>\n",
      verdict_badge(qini), said ? said->text() : std::string(),
      std::string_view(prefers_lower(curve) ? "lowest (best)" : "largest"),
      percent_text(curve.number("best_share")), signed_text(qini.number("value")),
      range_text(qini.range("interval")), p_text(qini.number("p")));
  return figure("Gain at every budget, ranked by " + ranking, words, chart.finish(),
                table.finish("Gain at every budget, " + ranking), true);
}

}  // namespace cone::report

#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kCalibrationTop = 22;
constexpr double kCalibrationBottom = 202;
constexpr double kNormal95 = 1.96;

}  // namespace

Html calibration_figure(const RecordView& arm) {
  const std::string label = arm.text("arm");
  struct Bin {
    double predicted, observed, error, count;
  };
  std::vector<Bin> bins;
  std::vector<double> values;
  for (const RecordView& bin : arm.at("bins").entries()) {
    const double predicted = bin.number("predicted");
    const double observed = bin.number("observed");
    const double count = bin.number("num_nodes");
    // The standard error of the share if the propensities are correct.
    const double error = kNormal95 * std::sqrt(std::max(0.0, predicted * (1 - predicted)) / count);
    bins.push_back({predicted, observed, error, count});
    values.insert(values.end(), {predicted, observed, observed - error, observed + error});
  }
  const Axis axis = make_axis(values, 5);
  Chart chart(
      fmt::format("Calibration of arm {}", label),
      "Observed share in the arm against the fitted propensity, in bins of about equal size. "
      "Dotted: perfect calibration; bars: ±1.96 standard errors.",
      kCalibrationBottom + 38);
  chart.horizontal_axis(axis, kCalibrationTop, kCalibrationBottom, "fitted propensity");
  chart.vertical_axis(axis, kCalibrationTop, kCalibrationBottom, "observed share");
  chart.line(0, kCalibrationBottom, 1, kCalibrationTop, "reference");
  const auto height = [&](double value) {
    return kCalibrationBottom - axis.share(value) * (kCalibrationBottom - kCalibrationTop);
  };
  Table table({"nodes", "fitted propensity", "observed share"});
  for (const Bin& bin : bins) {
    table.add_row({count_text(bin.count), number_text(bin.predicted), number_text(bin.observed)});
    if (!std::isfinite(bin.predicted) || !std::isfinite(bin.observed)) continue;
    const double x = axis.share(bin.predicted);
    if (std::isfinite(bin.error)) {
      chart.line(x, height(bin.observed - bin.error), x, height(bin.observed + bin.error), "cap");
    }
    chart.mark(Marker::kCircle, x, height(bin.observed), "dot");
  }
  return figure("Calibration, arm " + label, chart.finish(),
                table.finish("Calibration, arm " + label), true);
}

}  // namespace cone::report

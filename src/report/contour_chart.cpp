#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "report/benchmark_marks.hpp"
#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kContourTop = 24;
constexpr double kContourBottom = 264;
constexpr std::size_t kMostBenchmarks = 8;

/// A level set of the bias bound, which is proportional to √(cf_y · cf_d/(1 − cf_d)).
std::vector<std::pair<double, double>> level_curve(double level, double scale, const Axis& across,
                                                   const Axis& up) {
  std::vector<std::pair<double, double>> points;
  constexpr int kSteps = 60;
  for (int i = 1; i <= kSteps; ++i) {
    const double d = across.low + (across.high - across.low) * i / kSteps;
    if (d <= 0 || d >= 1) continue;
    const double ratio = level / scale;
    const double y = ratio * ratio * (1 - d) / d;
    if (y > up.high || y < up.low) continue;
    points.emplace_back(across.share(d),
                        kContourBottom - up.share(y) * (kContourBottom - kContourTop));
  }
  return points;
}

/// Whether the benchmark significantly improves the treatment model; otherwise its strength is
/// unknown. The key may be missing from a record.
bool has_clear_strength(const RecordView& benchmark) {
  const auto is_clear = benchmark.find("treatment_gain_is_clear");
  return !is_clear || is_clear->flag();
}

std::vector<std::string> benchmark_row(const RecordView& b) {
  const bool is_clear = has_clear_strength(b);
  const auto shift = b.find("shift");
  return {b.text("name"),
          percent_text(b.number("cf_y")),
          is_clear ? percent_text(b.number("cf_d")) : "not clear",
          is_clear ? number_text(b.number("bias")) : std::string(kNoNumber),
          shift ? signed_text(shift->number()) : std::string(kNoNumber),
          is_clear ? number_text(b.number("times_to_explain_away")) : std::string(kNoNumber)};
}

}  // namespace

Html contour_figure(const RecordView& policy, double threshold) {
  const RecordView bounds = policy.at("omitted_variable");
  const double scale = bounds.number("scale_by_arm");
  const std::vector<RecordView> benchmarks = bounds.entries("benchmarks");
  const std::string name = policy.text("name");
  const double robustness = bounds.number("robustness_value");
  std::vector<double> across_values = {0, 0.3};
  std::vector<double> up_values = {0, 0.3};
  if (std::isfinite(robustness)) {
    across_values.push_back(std::min(1.0, 1.15 * robustness));
    up_values.push_back(std::min(1.0, 1.15 * robustness));
  }
  Table table({"benchmark", "partial R² outcome", "partial R² treatment", "bias bound",
               "change when omitted", "times to explain away"});
  for (const RecordView& b : benchmarks) {
    table.add_row(benchmark_row(b));
    if (!has_clear_strength(b)) continue;
    across_values.push_back(std::min(1.0, b.number("cf_d")));
    up_values.push_back(std::min(1.0, b.number("cf_y")));
  }
  const Axis across = make_axis(across_values, 5, true);
  const Axis up = make_axis(up_values, 5, true);
  Chart chart("Omitted-variable bias of " + name,
              "Partial R² of an unmeasured confounder with the treatment, to the right, and with "
              "the outcome, upwards. On a curve the largest bias is the number at its end. The "
              "dashed curve is where the result is explained away. Numbered marks are benchmarks.",
              kContourBottom + 38);
  chart.horizontal_axis(across, kContourTop, kContourBottom, "partial R² with the treatment");
  chart.vertical_axis(up, kContourTop, kContourBottom, "partial R² with the outcome");
  const double breakdown = std::abs(policy.number("value") - threshold);
  if (std::isfinite(breakdown) && breakdown > 0 && scale > 0) {
    double last_label = kContourBottom + 38;
    for (const double factor : {0.25, 0.5, 1.0, 1.5}) {
      const auto curve = level_curve(factor * breakdown, scale, across, up);
      if (curve.size() < 2) continue;
      chart.path(curve, factor == 1.0 ? "curve2" : "curve thin");
      last_label = std::min(curve.back().second - 5, last_label - 14);
      chart.text(curve.back().first, last_label, "end",
                 number_text(factor * breakdown) + (factor == 1.0 ? ": breakdown" : ""), "tick");
    }
  }
  std::vector<NumberedMark> marks;
  Html names;
  for (const RecordView& b : benchmarks) {
    if (!has_clear_strength(b)) continue;
    const double d = b.number("cf_d");
    const double y = b.number("cf_y");
    if (!std::isfinite(d) || !std::isfinite(y) || marks.size() == kMostBenchmarks) continue;
    marks.push_back({across.share(d), kContourBottom - up.share(y) * (kContourBottom - kContourTop),
                     marks.size() + 1});
    names += html(" <span class=\"name\">▲ {} {}</span>", marks.size(), b.text("name"));
  }
  draw_numbered_marks(chart, marks);
  const Html words = html(
      "<p class=\"soft\">Partial R²: shares of the residual variance.</p>\n"
      "<p class=\"legend\">{}</p>\n",
      names);
  return figure("Omitted-variable bias by confounding strength: " + name, words, chart.finish(),
                table.finish("Benchmarks of " + name), true);
}

}  // namespace cone::report

#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kOddsTop = 24;
constexpr double kOddsBottom = 244;
struct OddsBounds {
  double lambda, lower, upper, lower_error, upper_error;
};

std::vector<OddsBounds> read_bounds(const RecordView& marginal) {
  const std::vector<double> lambda = marginal.at("lambda").numbers();
  const std::vector<double> lower = marginal.at("lower").numbers();
  const std::vector<double> upper = marginal.at("upper").numbers();
  const std::vector<double> lower_error = marginal.at("lower_standard_error").numbers();
  const std::vector<double> upper_error = marginal.at("upper_standard_error").numbers();
  for (const std::vector<double>* list : {&lower, &upper, &lower_error, &upper_error}) {
    if (list->size() != lambda.size()) marginal.fail("has lists of different lengths");
  }
  std::vector<OddsBounds> bounds;
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    const OddsBounds at{lambda[i], lower[i], upper[i], lower_error[i], upper_error[i]};
    if (at.lambda > 0 && is_finite({at.lower, at.upper})) bounds.push_back(at);
  }
  return bounds;
}

/// Of the record's level and degrees of freedom, from the interval without confounding.
double find_quantile(const RecordView& policy) {
  constexpr double kUsualLevel = 1.96;
  const auto interval = policy.find("sampling_interval");
  const auto error = policy.find("standard_error");
  if (!interval || !error || !(error->number() > 0)) return kUsualLevel;
  return (interval->range().second - policy.number("value")) / error->number();
}

}  // namespace

Html odds_figure(const RecordView& policy, double threshold) {
  const RecordView marginal = policy.at("marginal");
  const std::vector<OddsBounds> bounds = read_bounds(marginal);
  if (bounds.empty()) return {};
  std::vector<double> values = {threshold};
  std::vector<double> lambdas;
  Table table({"Λ", "lower bound", "upper bound", "CI of the bounds"});
  const double quantile = find_quantile(policy);
  for (const OddsBounds& at : bounds) {
    const Range wide = {at.lower - quantile * at.lower_error, at.upper + quantile * at.upper_error};
    values.insert(values.end(), {at.lower, at.upper, wide.first, wide.second});
    lambdas.push_back(at.lambda);
    table.add_row(
        {number_text(at.lambda), number_text(at.lower), number_text(at.upper), range_text(wide)});
  }
  const Axis across = make_axis(lambdas, 6, true);
  const Axis up = make_axis(values, 6);
  const auto y_of = [&](double v) { return kOddsBottom - up.share(v) * (kOddsBottom - kOddsTop); };
  const auto line_of = [&](const auto& value) {
    std::vector<std::pair<double, double>> points;
    for (const OddsBounds& at : bounds) {
      if (std::isfinite(value(at))) points.emplace_back(across.share(at.lambda), y_of(value(at)));
    }
    return points;
  };
  const auto lower = line_of([](const OddsBounds& at) { return at.lower; });
  const auto upper = line_of([](const OddsBounds& at) { return at.upper; });
  auto area = upper;
  area.insert(area.end(), lower.rbegin(), lower.rend());
  const std::string name = policy.text("name");
  Chart chart(
      "Sensitivity of " + name,
      "Bounds of the value under the marginal sensitivity model, by the odds ratio Λ of an "
      "unmeasured confounder. Dashed: with sampling error. The dotted line is the threshold "
      "where the result is explained away.",
      kOddsBottom + 38);
  chart.horizontal_axis(across, kOddsTop, kOddsBottom, "Λ: odds ratio of treatment, at most");
  chart.vertical_axis(up, kOddsTop, kOddsBottom, "value");
  chart.path(area, "area", true);
  chart.path(lower, "curve");
  chart.path(upper, "curve");
  chart.path(line_of([&](const OddsBounds& at) { return at.lower - quantile * at.lower_error; }),
             "curve2");
  chart.path(line_of([&](const OddsBounds& at) { return at.upper + quantile * at.upper_error; }),
             "curve2");
  if (std::isfinite(threshold)) chart.line(0, y_of(threshold), 1, y_of(threshold), "reference");
  const double breakdown = marginal.number("breakdown");
  const double confident = marginal.number("breakdown_with_confidence");
  double label_at = kOddsBottom - 8;
  for (const auto& [at, words] :
       {std::pair{breakdown, "breakdown"}, std::pair{confident, "with CI"}}) {
    if (!std::isfinite(at) || !across.holds(at)) continue;
    const double x = across.share(at);
    chart.segments(std::vector{vertical(x, kOddsTop, kOddsBottom)}, "limit");
    const bool is_right = x > 0.6;
    chart.text(x, label_at, is_right ? "end" : "start", fmt::format("{} at {:.2f}", words, at),
               "tick", is_right ? -4 : 4);
    label_at -= 16;
  }
  return figure("Marginal sensitivity model: " + name, chart.finish(),
                table.finish("Bounds of " + name), true);
}

}  // namespace cone::report

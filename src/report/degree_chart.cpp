#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kDegreeTop = 22;
constexpr double kDegreeBottom = 172;
constexpr double kTwoSided95 = 1.96;

std::string degrees_text(const Range& degrees) {
  if (degrees.first == degrees.second) return count_text(degrees.first);
  return count_text(degrees.first) + " to " + count_text(degrees.second);
}

}  // namespace

Html degree_figure(const RecordView& residuals) {
  const std::string model = residuals.text("outcome_model");
  struct Group {
    Range degrees;
    double nodes, mean, error;
  };
  std::vector<Group> groups;
  std::vector<double> values = {0};
  for (const RecordView& entry : residuals.at("groups").entries()) {
    const Group group{entry.range("degrees"), entry.number("num_nodes"),
                      entry.number("mean_residual"), entry.number("standard_error")};
    const double half = kTwoSided95 * group.error;
    values.insert(values.end(), {group.mean, group.mean - half, group.mean + half});
    groups.push_back(group);
  }
  if (groups.empty()) return {};
  const Axis axis = make_axis(values, 5);
  Chart chart(
      "Residuals of " + model + " by degree",
      "Mean residual of the outcome model in groups of nodes with similar degree, with 95 % "
      "confidence intervals. The dotted line is zero.",
      kDegreeBottom + 38);
  chart.vertical_axis(axis, kDegreeTop, kDegreeBottom, "mean residual");
  const auto height = [&](double value) {
    return kDegreeBottom - axis.share(value) * (kDegreeBottom - kDegreeTop);
  };
  chart.line(0, height(0), 1, height(0), "reference");
  chart.line(0, kDegreeBottom, 1, kDegreeBottom, "axis");
  Table table({"degree", "nodes", "mean residual", "std. error"});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const Group& group = groups[i];
    const double x = (static_cast<double>(i) + 0.5) / static_cast<double>(groups.size());
    table.add_row({degrees_text(group.degrees), count_text(group.nodes), number_text(group.mean),
                   number_text(group.error)});
    // Every other label where there is no room for all.
    if (groups.size() <= 6 || i % 2 == 0) {
      chart.text(x, kDegreeBottom + 15, "middle", "≤ " + count_text(group.degrees.second), "tick");
    }
    if (!std::isfinite(group.mean)) continue;
    const double half = kTwoSided95 * group.error;
    if (std::isfinite(half)) {
      chart.line(x, height(group.mean - half), x, height(group.mean + half), "inner");
    }
    chart.mark(Marker::kCircle, x, height(group.mean), "dot");
  }
  chart.text(0.5, kDegreeBottom + 32, "middle", "degree", "tick");
  return figure("Residuals by degree: " + model, chart.finish(),
                table.finish("Residuals of " + model), true);
}

}  // namespace cone::report

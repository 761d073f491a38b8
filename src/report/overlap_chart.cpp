#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/chart.hpp"
#include "report/charts.hpp"
#include "report/number_text.hpp"
#include "report/table.hpp"

namespace cone::report {
namespace {

constexpr double kOverlapTop = 20;
constexpr double kOverlapHalf = 60;

double sum_of(const std::vector<double>& counts) {
  double sum = 0;
  for (const double count : counts) sum += std::max(count, 0.0);
  return sum;
}

}  // namespace

Html overlap_figure(const RecordView& arm) {
  const std::string label = arm.text("arm");
  const std::vector<double> got = arm.at("in_arm").numbers();
  const std::vector<double> others = arm.at("other_arms").numbers();
  if (got.size() != others.size() || got.empty()) arm.fail("has lists of different lengths");
  const double num_got = sum_of(got);
  const double num_others = sum_of(others);
  const auto bins = static_cast<double>(got.size());
  const auto share = [](double count, double all) { return all > 0 ? count / all : 0; };
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = std::max({largest, share(got[i], num_got), share(others[i], num_others)});
  }
  const double middle = kOverlapTop + kOverlapHalf;
  const double bottom = middle + kOverlapHalf;
  Chart chart(
      fmt::format("Overlap of arm {}", label),
      fmt::format("Histogram of the fitted propensity of arm {}: units in the arm above the "
                  "line, the others below it.",
                  label),
      bottom + 38);
  const Axis axis = make_axis(std::vector{0.0, 1.0}, 6, true);
  chart.horizontal_axis(axis, kOverlapTop, bottom, "fitted propensity of the arm");
  Table table({"propensity", "this arm", "other arms"});
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double x = static_cast<double>(i) / bins;
    const double up = largest > 0 ? kOverlapHalf * share(got[i], num_got) / largest : 0;
    const double down = largest > 0 ? kOverlapHalf * share(others[i], num_others) / largest : 0;
    if (got[i] > 0) chart.bar(x, 1 / bins, middle - up, up, "one");
    if (others[i] > 0) chart.bar(x, 1 / bins, middle, down, "hollow");
    table.add_row({fmt::format("{:.2f} to {:.2f}", x, x + 1 / bins), count_text(got[i]),
                   count_text(others[i])});
  }
  chart.line(0, middle, 1, middle, "axis");
  chart.text(0, kOverlapTop - 6, "start", fmt::format("▲ in arm: {}", count_text(num_got)));
  chart.text(1, kOverlapTop - 6, "end", fmt::format("▽ others: {}", count_text(num_others)));
  return figure("Overlap, arm " + label, chart.finish(), table.finish("Overlap, arm " + label));
}

}  // namespace cone::report

#include <array>
#include <cmath>
#include <ostream>

#include "cone/file.hpp"
#include "cone/output.hpp"

namespace cone {
namespace {

constexpr std::array kBudgetColumns = {"ranking",
                                       "arm",
                                       "share",
                                       "cost",
                                       "gain",
                                       "standard_error",
                                       "low",
                                       "high",
                                       "joint_low",
                                       "joint_high",
                                       "sensitivity_low",
                                       "sensitivity_high",
                                       "over_random",
                                       "over_random_low",
                                       "over_random_high",
                                       "over_random_joint_low",
                                       "over_random_joint_high",
                                       "truth"};

}  // namespace

void write_budget_curves(std::ostream& out, std::span<const BudgetCurve> curves, CsvCells cells) {
  CsvWriter lines(out, cells);
  for (const char* name : kBudgetColumns) lines.field(name);
  lines.end_line();
  const auto write_number = [&](double value) {
    if (std::isfinite(value)) {
      lines.field(value);
    } else {
      lines.field("");
    }
  };
  const auto write_range = [&](const std::pair<double, double>& range) {
    write_number(range.first);
    write_number(range.second);
  };
  for (const BudgetCurve& curve : curves) {
    for (const BudgetPoint& point : curve.points) {
      lines.field(curve.ranking).field(curve.arm);
      for (const double value : {point.share, point.cost, point.gain, point.standard_error}) {
        write_number(value);
      }
      write_range(point.interval);
      write_range(point.joint_interval);
      write_range(point.sensitivity_interval);
      write_number(point.over_random);
      write_range(point.over_random_interval);
      write_range(point.over_random_joint_interval);
      write_number(point.truth.value_or(std::nan("")));
      lines.end_line();
    }
  }
}

}  // namespace cone

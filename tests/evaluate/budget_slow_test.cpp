#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"

#include "support/ranked_world.hpp"

namespace cone {
namespace {

/// Over many logs: how often all points of a curve are in the band at once, and how often the area
/// is in its interval.
struct CurveCoverage {
  double band = 0;
  double over_random_band = 0;
  double qini = 0;
  double autoc = 0;
};

CurveCoverage measure_curve_coverage(const std::string& ranking, bool shares_noise) {
  constexpr int kLogs = 200;
  CurveCoverage out;
  const auto within = [](const std::pair<double, double>& range, double value) {
    return range.first <= value + 1e-12 && value <= range.second + 1e-12;
  };
  for (int log = 0; log < kLogs; ++log) {
    const testing::SmallWorld world =
        testing::ranked_world(400, 100 + static_cast<std::uint64_t>(log), shares_noise);
    EvaluateOptions options;
    options.estimators = {"network_dm"};
    options.robust = false;
    // Nobody knows how a person's outcomes go together; only this holds if they are the same.
    if (shares_noise) options.estimator.arm_noise = ArmNoise::kAny;
    options.budget.rank = {ranking};
    const BudgetCurve curve =
        evaluate(Context(static_cast<std::uint64_t>(log), 2), world.data, world.policies, options)
            .budget_curves[0];
    bool in_band = true;
    bool in_other = true;
    const double everyone = *curve.points.back().truth;
    for (const BudgetPoint& point : curve.points) {
      in_band = in_band && within(point.band, *point.truth);
      in_other = in_other && within(point.over_random_band, *point.truth - point.share * everyone);
    }
    out.band += in_band ? 1.0 / kLogs : 0;
    out.over_random_band += in_other ? 1.0 / kLogs : 0;
    out.qini += within(curve.qini.interval, *curve.qini.truth) ? 1.0 / kLogs : 0;
    out.autoc += within(curve.autoc.interval, *curve.autoc.truth) ? 1.0 / kLogs : 0;
  }
  return out;
}

TEST(BudgetCoverage, BandsAndAreasHoldTheTruthAsOftenAsTheySay) {
  for (const bool shares_noise : {false, true}) {
    for (const char* ranking : {"by x1", "lots"}) {
      const CurveCoverage found = measure_curve_coverage(ranking, shares_noise);
      // The table of docs/budget.md.
      fmt::print("{}, {} noise: {:.0f} %, {:.0f} %, {:.0f} %, {:.0f} %\n", ranking,
                 shares_noise ? "shared" : "independent", 100 * found.band,
                 100 * found.over_random_band, 100 * found.qini, 100 * found.autoc);
      for (const double share : {found.band, found.over_random_band, found.qini, found.autoc}) {
        EXPECT_GE(share, 0.9) << ranking;  // 0.95 less three standard errors
      }
      if (shares_noise) continue;  // those may be too wide
      EXPECT_LE(found.qini, 0.995) << ranking;
      EXPECT_LE(found.autoc, 0.995) << ranking;
    }
  }
}

}  // namespace
}  // namespace cone

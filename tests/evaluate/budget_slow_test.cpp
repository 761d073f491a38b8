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

/// Coverage over many simulated datasets: of all points of a curve by the band at once, and of the
/// area by its interval.
struct CurveCoverage {
  double band = 0;
  double over_random_band = 0;
  double qini = 0;
  double autoc = 0;
};

/// One per ranking, from the same fits.
std::vector<CurveCoverage> measure_curve_coverage(const std::vector<std::string>& rankings,
                                                  bool shares_noise) {
  constexpr int kLogs = 200;
  std::vector<CurveCoverage> out(rankings.size());
  const auto within = [](const std::pair<double, double>& range, double value) {
    return range.first <= value + 1e-12 && value <= range.second + 1e-12;
  };
  for (int log = 0; log < kLogs; ++log) {
    const testing::SmallWorld world =
        testing::ranked_world(250, 100 + static_cast<std::uint64_t>(log), shares_noise);
    EvaluateOptions options;
    options.estimators = {"network_dm"};
    options.sensitivity_interval = false;
    options.estimator.target = Target::kSample;
    // The correlation of potential outcomes is not identified; only this covers if it is 1.
    if (shares_noise) options.estimator.arm_noise = ArmNoise::kWorstCase;
    options.budget.rank = rankings;
    const std::vector<BudgetCurve> curves =
        evaluate(Context({.seed = static_cast<std::uint64_t>(log), .threads = 1}), world.data,
                 world.policies, options)
            .budget_curves;
    for (std::size_t k = 0; k < curves.size(); ++k) {
      const BudgetCurve& curve = curves[k];
      bool in_band = true;
      bool in_other = true;
      const double treat_all = *curve.points.back().truth;
      for (const BudgetPoint& point : curve.points) {
        in_band = in_band && within(point.band, *point.truth);
        in_other =
            in_other && within(point.over_random_band, *point.truth - point.share * treat_all);
      }
      out[k].band += in_band ? 1.0 / kLogs : 0;
      out[k].over_random_band += in_other ? 1.0 / kLogs : 0;
      out[k].qini += within(curve.qini.sampling_interval, *curve.qini.truth) ? 1.0 / kLogs : 0;
      out[k].autoc += within(curve.autoc.sampling_interval, *curve.autoc.truth) ? 1.0 / kLogs : 0;
    }
  }
  return out;
}

TEST(BudgetCoverage, BandsAndAreasHaveTheirNominalCoverage) {
  const std::vector<std::string> rankings = {"by x1", "random"};
  for (const bool shares_noise : {false, true}) {
    const std::vector<CurveCoverage> all = measure_curve_coverage(rankings, shares_noise);
    for (std::size_t k = 0; k < rankings.size(); ++k) {
      const CurveCoverage& found = all[k];
      // The table of docs/budget.md.
      fmt::print("{}, {} noise: {:.0f} %, {:.0f} %, {:.0f} %, {:.0f} %\n", rankings[k],
                 shares_noise ? "shared" : "independent", 100 * found.band,
                 100 * found.over_random_band, 100 * found.qini, 100 * found.autoc);
      for (const double share : {found.band, found.over_random_band, found.qini, found.autoc}) {
        EXPECT_GE(share, 0.9) << rankings[k];  // 0.95 minus three standard errors
      }
      if (shares_noise) continue;  // those may be too wide
      EXPECT_LE(found.qini, 0.995) << rankings[k];
      EXPECT_LE(found.autoc, 0.995) << rankings[k];
    }
  }
}

}  // namespace
}  // namespace cone

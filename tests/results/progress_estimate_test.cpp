#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cone/output.hpp"

namespace cone {
namespace {

/// A run of three stages, the second of which reports nothing until its end, at 1/slowness of the
/// expected speed; sampled every half second.
struct Watched {
  std::vector<double> fraction;
  std::vector<double> left;
  std::vector<double> truth;
};

Watched watch(double expected, double slowness) {
  struct Part {
    double begin, end;
    bool reports;
  };
  ProgressEstimate estimate;
  estimate.expect(expected);
  Watched out;
  double now = 100;
  const double finish = now + expected * slowness;
  for (const Part part : {Part{0, 0.1, true}, Part{0.1, 0.7, false}, Part{0.7, 1, true}}) {
    estimate.enter({.label = "part", .begin = part.begin, .end = part.end}, now);
    const double seconds = (part.end - part.begin) * expected * slowness;
    for (double t = 0; t < seconds; t += 0.5) {
      const auto done = part.reports ? static_cast<std::uint64_t>(1000 * t / seconds) : 0;
      const auto position = estimate.update("phase", done, 1000, now + t);
      out.fraction.push_back(position.fraction);
      out.left.push_back(position.seconds_left);
      out.truth.push_back(finish - now - t);
    }
    now += seconds;
    estimate.enter({}, now);  // as between two stages
  }
  return out;
}

TEST(ProgressEstimate, NeverFallsBackAndTheTimeLeftDoesNotJump) {
  for (const double slowness : {0.7, 1.0, 2.0}) {
    const Watched run = watch(100, slowness);
    EXPECT_TRUE(std::is_sorted(run.fraction.begin(), run.fraction.end()));
    EXPECT_EQ(run.fraction.front(), 0);
    EXPECT_GT(run.fraction.back(), 0.9);
    EXPECT_LE(run.fraction.back(), 1);
    for (std::size_t k = 1; k < run.left.size(); ++k) {
      EXPECT_LT(std::abs(run.left[k] - run.left[k - 1]), 0.4 * run.left[k - 1] + 4)
          << slowness << " at " << k << ": " << run.left[k - 1] << ", " << run.left[k];
    }
    // After a quarter of the time the measured speed dominates the forecast.
    for (std::size_t k = run.left.size() / 4; k < run.left.size(); ++k) {
      EXPECT_LT(run.left[k], 2 * run.truth[k] + 5) << slowness << " at " << k;
      EXPECT_GT(run.left[k], 0.4 * run.truth[k] - 5) << slowness << " at " << k;
    }
  }
}

TEST(ProgressEstimate, SeveralPhasesOfAStageLeaveRoomForEachOther) {
  ProgressEstimate estimate;
  estimate.enter({.label = "ridge", .begin = 0, .end = 0.5}, 0);
  double before = 0;
  for (const std::string phase : {"reading", "fitting", "predicting"}) {
    const double half = estimate.update(phase, 1, 2, 1).fraction;
    const double whole = estimate.update(phase, 2, 2, 2).fraction;
    EXPECT_GT(half, before);
    EXPECT_GT(whole, half);
    EXPECT_LT(whole, 0.5);
    before = whole;
  }
  estimate.enter({}, 3);
  estimate.enter({.label = "cone", .begin = 0.5, .end = 1}, 3);
  EXPECT_GE(estimate.update("training", 0, 2, 3).fraction, 0.5);
}

TEST(ProgressEstimate, ARunWithoutAForecastGoesByItsOwnPace) {
  ProgressEstimate estimate;
  EXPECT_EQ(estimate.update("loading", 0, 4, 0).seconds_left, -1);
  EXPECT_EQ(estimate.update("loading", 1, 4, 2).seconds_left, 6);  // outside of stages
  estimate.enter({.label = "units", .begin = 0, .end = 1}, 10);
  EXPECT_EQ(estimate.update("units", 0, 10, 10).seconds_left, -1);
  const auto position = estimate.update("units", 5, 10, 14);
  EXPECT_NEAR(position.fraction, 0.4, 1e-12);
  EXPECT_NEAR(position.seconds_left, 6, 1e-12);
}

}  // namespace
}  // namespace cone

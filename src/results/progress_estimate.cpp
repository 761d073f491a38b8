#include <algorithm>

#include "cone/output.hpp"

namespace cone {
namespace {

/// A stage may have an unknown number of phases: each gets this share of the rest of the stage.
constexpr double kShareOfPhase = 0.8;
/// The share of a stage that elapsed time alone may reach.
constexpr double kMostByTime = 0.95;
/// Weight of the forecast: as much as a measurement of this share of the run.
constexpr double kWeightOfForecast = 0.1;
/// Without a forecast there is no estimate before this share is done.
constexpr double kLeastMeasured = 0.02;

}  // namespace

double ProgressEstimate::slowness(double now) const {
  const double weight = kWeightOfForecast * expected_;
  return (now - run_start_ + weight) / (furthest_ * expected_ + weight);
}

void ProgressEstimate::enter(const ProgressStage& stage, double now) {
  const bool returns =
      stage.label.size() < stage_.label.size() && stage_.label.starts_with(stage.label);
  if (!is_in_run() && stage.begin == 0) {  // a new run
    run_start_ = now;
    furthest_ = 0;
  }
  if (returns) furthest_ = std::max(furthest_, stage_.end);
  stage_ = stage;
  furthest_ = std::max(furthest_, stage.label.empty() ? 0 : stage.begin);
  stage_start_ = now;
  stage_floor_ = furthest_;
  if (expected_ > 0) stage_slowness_ = slowness(now);
  phase_.clear();
}

ProgressEstimate::Position ProgressEstimate::update(std::string_view phase, std::uint64_t done,
                                                    std::uint64_t total, double now) {
  if (phase != phase_) {
    phase_ = phase;
    phase_start_ = now;
    phase_floor_ = furthest_;
  }
  const double part = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  if (!is_in_run()) return {part, done == 0 ? -1 : (now - phase_start_) * (1 - part) / part};
  const double by_count = phase_floor_ + kShareOfPhase * part * (stage_.end - phase_floor_);
  furthest_ = std::max(furthest_, by_count);
  if (expected_ > 0) {
    const double share = stage_.end - stage_floor_;
    const double seconds = share * expected_ * stage_slowness_;
    const double by_time = seconds > 0 ? std::min(kMostByTime, (now - stage_start_) / seconds) : 0;
    furthest_ = std::max(furthest_, stage_floor_ + by_time * share);
    return {furthest_, (1 - furthest_) * expected_ * slowness(now)};
  }
  if (furthest_ < kLeastMeasured) return {furthest_, -1};
  return {furthest_, (now - run_start_) * (1 - furthest_) / furthest_};
}

}  // namespace cone

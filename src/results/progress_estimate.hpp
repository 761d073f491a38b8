#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

/// Progress and remaining time of a run, from the reports that an observer gets. Times are seconds
/// of any clock. Within stages the completed share never falls. A stage that reports little is
/// assumed to proceed as fast as expected, so that the remaining time falls while it lasts.
class ProgressEstimate {
 public:
  struct Position {
    double fraction = 0;       ///< of the run within stages, of the phase without
    double seconds_left = -1;  ///< negative where unknown
  };

  /// Forecast of the next run's duration; 0: unknown.
  void expect(double seconds) { expected_ = seconds; }
  void enter(const ProgressStage& stage, double now);
  Position update(std::string_view phase, std::uint64_t done, std::uint64_t total, double now);

  bool is_in_run() const { return !stage_.label.empty(); }
  const ProgressStage& stage() const { return stage_; }
  const std::string& phase() const { return phase_; }
  /// When the run began, or, outside of stages, the phase.
  double start() const { return is_in_run() ? run_start_ : phase_start_; }

 private:
  /// Measured over expected time so far; near 1 while little has been measured.
  double slowness(double now) const;

  double expected_ = 0;
  std::string phase_;
  double phase_start_ = 0;
  double phase_floor_ = 0;  ///< completed share of the run when the phase began
  ProgressStage stage_;
  double stage_start_ = 0;
  double stage_floor_ = 0;
  double stage_slowness_ = 1;  ///< when the stage began
  double run_start_ = 0;
  double furthest_ = 0;  ///< completed share of the run
};

}  // namespace cone

#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "cone/context.hpp"

namespace cone {

/// "48 s", "2 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

/// Draws a progress bar on a terminal, or, where `interactive` is false, a plain line every few
/// seconds. Within stages there is one bar for the whole run, which never moves back; without, one
/// per phase. What is shorter than `delay_seconds` leaves no trace.
class TerminalProgress : public ProgressObserver {
 public:
  TerminalProgress(std::ostream& out, bool interactive, double delay_seconds = 0.5);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  /// Removes the bar, so that other text can follow on a clean line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  /// Of the run within stages, of the phase without.
  struct Position {
    double fraction = 0;
    double seconds_left = 0;  ///< negative where unknown
  };
  Position position(std::uint64_t done, std::uint64_t total, Clock::time_point now);
  void draw(const Position& position);

  std::ostream& out_;
  bool interactive_;
  double delay_seconds_;
  std::string phase_;
  Clock::time_point phase_start_;  ///< of the phase within the stage at hand
  ProgressStage stage_;
  Clock::time_point run_start_;
  double furthest_ = 0;  ///< share of the run that was shown as done
  Clock::time_point last_drawn_;
  bool bar_visible_ = false;
};

}  // namespace cone

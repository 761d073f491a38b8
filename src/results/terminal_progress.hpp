#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "cone/context.hpp"
#include "cone/forecast.hpp"

#include "results/progress_estimate.hpp"

namespace cone {

/// "48 s", "2 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

/// "this may take about 2 min 05 s (ridge 30 s, cone 1 min 35 s)"; empty for less than a few
/// seconds.
std::string forecast_text(std::span<const ExpectedCost> costs);

/// Draws a progress bar on a terminal, or, where `interactive` is false, a plain line every few
/// seconds. Within stages there is one bar for the whole run, which never moves back; without, one
/// per phase. Phases shorter than `delay_seconds` print nothing.
class TerminalProgress : public ProgressObserver {
 public:
  TerminalProgress(std::ostream& out, bool interactive, double delay_seconds = 0.5);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  /// Forecast of the next run's duration.
  void expect(double seconds) { estimate_.expect(seconds); }
  /// Removes the bar, so that other text can follow on a clean line.
  void clear();

 private:
  void draw(const ProgressEstimate::Position& position);

  std::ostream& out_;
  bool interactive_;
  double delay_seconds_;
  ProgressEstimate estimate_;
  double last_drawn_ = 0;
  bool bar_visible_ = false;
};

}  // namespace cone

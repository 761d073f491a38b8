#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

namespace cone {

/// Watches a run. Always called on the thread that called the library.
class ProgressObserver {
 public:
  virtual ~ProgressObserver() = default;
  /// `done` of `total` units of `phase` are finished. Returning false asks the run to stop; it does
  /// so at the next safe point.
  virtual bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) = 0;
};

/// Draws one progress bar a phase on a terminal, or, where `interactive` is false, a plain line
/// every few seconds. Phases shorter than `delay_seconds` leave no trace.
class TerminalProgress : public ProgressObserver {
 public:
  TerminalProgress(std::ostream& out, bool interactive, double delay_seconds = 0.5);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  /// Removes the bar, so that other text can follow on a clean line.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  void draw(std::uint64_t done, std::uint64_t total, double elapsed_seconds);

  std::ostream& out_;
  bool interactive_;
  double delay_seconds_;
  std::string phase_;
  Clock::time_point phase_start_;
  Clock::time_point last_drawn_;
  bool bar_visible_ = false;
};

}  // namespace cone

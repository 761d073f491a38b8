#include "results/terminal_progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/context.hpp"

#include "base/text.hpp"

namespace cone {
namespace {

constexpr int kBarWidth = 28;
constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainLineSeconds = 5.0;

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

TerminalProgress::TerminalProgress(std::ostream& out, bool interactive, double delay_seconds)
    : out_(out), interactive_(interactive), delay_seconds_(delay_seconds) {}

TerminalProgress::~TerminalProgress() { clear(); }

bool TerminalProgress::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  const bool in_run = !stage_.label.empty();
  if (phase != phase_) {
    if (!in_run) {
      clear();
      last_drawn_ = now;
    }
    phase_ = phase;
    phase_start_ = now;
  }
  const std::chrono::duration<double> elapsed = now - (in_run ? run_start_ : phase_start_);
  const std::chrono::duration<double> since_drawn = now - last_drawn_;
  if (done >= total) {
    if (!in_run) clear();
  } else if (elapsed.count() >= delay_seconds_ &&
             since_drawn.count() >= (interactive_ ? kRedrawSeconds : kPlainLineSeconds)) {
    draw(position(done, total, now));
    last_drawn_ = now;
  }
  return true;
}

void TerminalProgress::enter(const ProgressStage& stage) {
  const Clock::time_point now = Clock::now();
  if (stage_.label.empty()) {
    run_start_ = now;
    last_drawn_ = now;
    furthest_ = 0;
  }
  stage_ = stage;
  phase_start_ = now;
  if (stage.label.empty()) clear();
}

/// A stage's own speed tells how long the rest of it takes; the speed of the run so far, the rest
/// of the run.
TerminalProgress::Position TerminalProgress::position(std::uint64_t done, std::uint64_t total,
                                                      Clock::time_point now) {
  const auto seconds_since = [now](Clock::time_point then) {
    return std::chrono::duration<double>(now - then).count();
  };
  const double part = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  const double left_of_part = done == 0 ? -1 : seconds_since(phase_start_) * (1 - part) / part;
  if (stage_.label.empty()) return {part, left_of_part};
  furthest_ = std::max(furthest_, stage_.begin + part * (stage_.end - stage_.begin));
  if (!(furthest_ > 0)) return {0, -1};
  const double pace = seconds_since(run_start_) / furthest_;
  const double rest = pace * (1 - stage_.end);
  return {furthest_, done == 0 ? pace * (1 - furthest_) : left_of_part + rest};
}

void TerminalProgress::draw(const Position& position) {
  const std::string label =
      printable_lines(stage_.label.empty() ? phase_ : stage_.label + ": " + phase_);
  const std::string left =
      position.seconds_left < 0 ? "" : ", " + duration_text(position.seconds_left) + " left";
  if (!interactive_) {
    out_ << fmt::format("{}: {:.0f} %{}\n", label, 100 * position.fraction, left) << std::flush;
    return;
  }
  const int filled = std::clamp(static_cast<int>(position.fraction * kBarWidth), 0, kBarWidth);
  std::string bar(static_cast<std::size_t>(kBarWidth), '.');
  std::fill_n(bar.begin(), filled, '#');
  out_ << fmt::format("\r\033[K{} [{}] {:3.0f} %{}", label, bar, 100 * position.fraction, left)
       << std::flush;
  bar_visible_ = true;
}

void TerminalProgress::clear() {
  if (!bar_visible_) return;
  out_ << "\r\033[K" << std::flush;
  bar_visible_ = false;
}

}  // namespace cone

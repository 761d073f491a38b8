#include "cone/base/progress.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace cone {
namespace {

constexpr int kBarWidth = 28;
constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainLineSeconds = 5.0;

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

TerminalProgress::TerminalProgress(std::ostream& out, bool interactive, double delay_seconds)
    : out_(out), interactive_(interactive), delay_seconds_(delay_seconds) {}

TerminalProgress::~TerminalProgress() { clear(); }

bool TerminalProgress::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (phase != phase_) {
    clear();
    phase_ = phase;
    phase_start_ = now;
    last_drawn_ = now;
  }
  const std::chrono::duration<double> elapsed = now - phase_start_;
  const std::chrono::duration<double> since_drawn = now - last_drawn_;
  const bool finished = done >= total;
  if (finished) {
    clear();
  } else if (elapsed.count() >= delay_seconds_ &&
             since_drawn.count() >= (interactive_ ? kRedrawSeconds : kPlainLineSeconds)) {
    draw(done, total, elapsed.count());
    last_drawn_ = now;
  }
  return true;
}

void TerminalProgress::draw(std::uint64_t done, std::uint64_t total, double elapsed_seconds) {
  const double fraction = total == 0 ? 0 : static_cast<double>(done) / static_cast<double>(total);
  const std::string remaining =
      done == 0 ? "" : ", " + duration_text(elapsed_seconds * (1 - fraction) / fraction) + " left";
  if (!interactive_) {
    out_ << fmt::format("{}: {:.0f} %{}\n", phase_, 100 * fraction, remaining) << std::flush;
    return;
  }
  const int filled = static_cast<int>(fraction * kBarWidth);
  std::string bar(static_cast<std::size_t>(kBarWidth), '.');
  std::fill_n(bar.begin(), filled, '#');
  out_ << fmt::format("\r\033[K{} [{}] {:3.0f} %{}", phase_, bar, 100 * fraction, remaining)
       << std::flush;
  bar_visible_ = true;
}

void TerminalProgress::clear() {
  if (!bar_visible_) return;
  out_ << "\r\033[K" << std::flush;
  bar_visible_ = false;
}

}  // namespace cone

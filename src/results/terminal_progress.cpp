#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/output.hpp"
#include "cone/text.hpp"

namespace cone {
namespace {

constexpr int kBarWidth = 28;
constexpr double kRedrawSeconds = 0.1;
constexpr double kPlainLineSeconds = 5.0;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::llround(std::max(0.0, seconds)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string forecast_text(std::span<const ExpectedCost> costs) {
  constexpr double kWorthAWord = 5;
  constexpr double kWorthAName = 0.05;
  const double total = total_seconds(costs);
  if (total < kWorthAWord) return "";
  std::vector<std::string> parts;
  for (const ExpectedCost& cost : costs) {
    if (cost.seconds < kWorthAName * total) continue;
    parts.push_back(fmt::format("{} {}", cost.name, duration_text(cost.seconds)));
  }
  return fmt::format("this may take about {} ({})", duration_text(total), fmt::join(parts, ", "));
}

TerminalProgress::TerminalProgress(std::ostream& out, bool interactive, double delay_seconds)
    : out_(out), interactive_(interactive), delay_seconds_(delay_seconds) {}

TerminalProgress::~TerminalProgress() { clear(); }

bool TerminalProgress::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  const double now = seconds_now();
  const bool in_run = estimate_.is_in_run();
  if (!in_run && phase != estimate_.phase()) {
    clear();
    last_drawn_ = now;
  }
  const ProgressEstimate::Position position = estimate_.update(phase, done, total, now);
  if (done >= total && !in_run) {
    clear();
  } else if (now - estimate_.start() >= delay_seconds_ &&
             now - last_drawn_ >= (interactive_ ? kRedrawSeconds : kPlainLineSeconds)) {
    draw(position);
    last_drawn_ = now;
  }
  return true;
}

void TerminalProgress::enter(const ProgressStage& stage) {
  const double now = seconds_now();
  if (!estimate_.is_in_run()) last_drawn_ = now;
  estimate_.enter(stage, now);
  if (stage.label.empty()) clear();
}

void TerminalProgress::draw(const ProgressEstimate::Position& position) {
  const std::string& stage = estimate_.stage().label;
  const std::string label =
      printable_lines(stage.empty() ? estimate_.phase() : stage + ": " + estimate_.phase());
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

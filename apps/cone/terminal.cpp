#include "terminal.hpp"

#include <iostream>

#include <signal.h>
#include <unistd.h>

namespace cone::app {
namespace {

volatile sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one is final
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool was_interrupted() { return interrupted != 0; }

ConsoleProgress::ConsoleProgress(bool quiet) {
  if (!quiet) bar_ = std::make_unique<TerminalProgress>(std::cerr, isatty(STDERR_FILENO) == 1);
}

bool ConsoleProgress::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  if (bar_) bar_->update(phase, done, total);
  return !was_interrupted();
}

void ConsoleProgress::enter(const ProgressStage& stage) {
  if (bar_) bar_->enter(stage);
}

void ConsoleProgress::clear() {
  if (bar_) bar_->clear();
}

}  // namespace cone::app

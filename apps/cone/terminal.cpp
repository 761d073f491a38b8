#include "terminal.hpp"

#include <atomic>
#include <iostream>

#include <signal.h>
#include <unistd.h>

#include "cone/context.hpp"

#include "commands.hpp"
#include "results/terminal_progress.hpp"

namespace cone::app {
namespace {

volatile sig_atomic_t interrupting_signal = 0;

void on_interrupt(int signal) { interrupting_signal = signal; }

std::atomic_flag bus_error_reported;  // lock-free, so a handler may use it

/// Reading a mapped file past its end, after something cut it, or from a disk that fails. Several
/// threads may meet it at once: one speaks and ends the process, the others wait for that.
void on_bus_error(int, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    signal(SIGBUS, SIG_DFL);
    raise(SIGBUS);  // as if there had been no handler
    return;
  }
  while (bus_error_reported.test_and_set()) pause();
  constexpr char kMessage[] =
      "\ncone: an input file became shorter while it was being read, or its disk failed; run again "
      "when nothing writes to the data\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kMessage, sizeof kMessage - 1);
  _exit(kBadInput);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // the second one is final
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction bus_error {};
  bus_error.sa_sigaction = on_bus_error;
  bus_error.sa_flags = static_cast<int>(SA_SIGINFO);
  sigemptyset(&bus_error.sa_mask);
  sigaction(SIGBUS, &bus_error, nullptr);
}

bool was_interrupted() { return interrupting_signal != 0; }

int interrupted_status() {
  constexpr int kStatusOfSignals = 128;
  return kStatusOfSignals + (was_interrupted() ? interrupting_signal : SIGINT);
}

ConsoleProgress::ConsoleProgress(bool quiet) {
  // std::cerr would print the bar's commands to the terminal as text: printable_output.hpp
  if (!quiet) bar_ = std::make_unique<TerminalProgress>(std::clog, isatty(STDERR_FILENO) == 1);
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

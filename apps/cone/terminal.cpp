#include "terminal.hpp"

#include <array>
#include <atomic>
#include <iostream>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "cone/context.hpp"
#include "cone/output.hpp"

#include "commands.hpp"

namespace cone::app {
namespace {

volatile sig_atomic_t interrupting_signal = 0;
volatile sig_atomic_t interrupted_at = 0;  // seconds of the monotonic clock

sig_atomic_t monotonic_seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<sig_atomic_t>(now.tv_sec);
}

/// The first asks to stop and to keep what is finished. A later one ends the process, but not at
/// once: `timeout` and shells send a signal to the process and to its group, and saving takes time.
void on_interrupt(int number) {
  constexpr sig_atomic_t kSecondsToSave = 2;
  const bool is_first = interrupting_signal == 0;
  const bool is_final = number == SIGINT || number == SIGTERM;
  if (is_first) interrupted_at = monotonic_seconds();
  interrupting_signal = number;
  if (is_first || !is_final || monotonic_seconds() - interrupted_at < kSecondsToSave) return;
  signal(number, SIG_DFL);
  raise(number);
}

/// A signal that asks to stop.
struct Stop {
  int signal;
  bool is_ignored = false;  ///< as the parent set it
};
std::array<Stop, 6> stops = {{{SIGINT}, {SIGTERM}, {SIGHUP}, {SIGXCPU}, {SIGUSR1}, {SIGUSR2}}};

constexpr int kStatusOfSignals = 128;  // as shells count

std::atomic_flag bus_error_reported;  // lock-free, so a handler may use it

/// Reading a mapped file past its end, after something cut it, or from a disk that fails. Several
/// threads may meet it at once: one reports it and ends the process, the others wait for that.
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

void ignore_failed_writes() {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

void open_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Opened for reading only, so that writing fails as it did. The lowest free number is taken.
    if (fcntl(descriptor, F_GETFD) < 0) open("/dev/null", O_RDONLY | O_CLOEXEC);
  }
}

void prepare_signals() {
  ignore_failed_writes();
  for (Stop& stop : stops) {
    struct sigaction old {};
    stop.is_ignored = sigaction(stop.signal, nullptr, &old) == 0 && old.sa_handler == SIG_IGN;
  }
}

void catch_interrupts() {
  ignore_failed_writes();  // again: PETSc installs its own handlers
  for (const Stop& stop : stops) {
    struct sigaction action {};
    action.sa_handler = stop.is_ignored ? SIG_IGN : on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(stop.signal, &action, nullptr);
  }
  struct sigaction bus_error {};
  bus_error.sa_sigaction = on_bus_error;
  bus_error.sa_flags = static_cast<int>(SA_SIGINFO);
  sigemptyset(&bus_error.sa_mask);
  sigaction(SIGBUS, &bus_error, nullptr);
}

bool was_interrupted() { return interrupting_signal != 0; }

int interrupted_status() {
  return kStatusOfSignals + (was_interrupted() ? interrupting_signal : SIGINT);
}

int finish_stdout(int status) {
  if (std::cout.flush()) return status;
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  const bool reader_left = poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
  if (!reader_left) std::cerr << "cone: the output could not be written\n";
  if (status != kSuccess) return status;
  return reader_left ? kStatusOfSignals + SIGPIPE : kFailure;
}

ConsoleProgress::ConsoleProgress(bool quiet) {
  // std::cerr would print the bar's commands to the terminal as text: printable_output.hpp
  if (!quiet) bar_ = std::make_unique<TerminalProgress>(std::clog, isatty(STDERR_FILENO) == 1);
}

bool ConsoleProgress::update(std::string_view phase, std::uint64_t done, std::uint64_t total) {
  if (bar_) bar_->update(phase, done, total);
  return is_finished_ || !was_interrupted();
}

void ConsoleProgress::enter(const ProgressStage& stage) {
  if (bar_) bar_->enter(stage);
}

void ConsoleProgress::announce(std::span<const ExpectedCost> costs, std::string_view note) {
  if (!bar_) return;
  bar_->expect(total_seconds(costs));
  const std::string text = forecast_text(costs);
  if (!text.empty()) std::cerr << text << (note.empty() ? "" : "; ") << note << '\n';
}

void ConsoleProgress::clear() {
  if (bar_) bar_->clear();
}

}  // namespace cone::app

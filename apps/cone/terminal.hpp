#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "cone/context.hpp"
#include "cone/output.hpp"

namespace cone::app {

/// Standard streams that the parent closed: their numbers would go to the next files that are
/// opened, and what is printed into these.
void open_standard_streams();

/// At the very start: a reader that left (SIGPIPE) and a limit on the size of files (SIGXFSZ) make
/// a write fail, which is reported, and do not end the process. Also notes which signals the
/// parent process set to be ignored.
void prepare_signals();

/// From now on Ctrl-C and SIGTERM ask the running command to stop at its next safe point; the
/// second of them ends the process at once. SIGHUP, SIGXCPU and SIGUSR1 ask for the same, however
/// often they come: a terminal that closes sends several, and a limit on time one every second.
/// What was ignored at the start (nohup, a job in the background) stays ignored. A file that became
/// shorter while it was being read ends the process with a message and status kBadInput.
void catch_interrupts();
bool was_interrupted();
/// As a shell reports the signal that stopped the command: 130 for Ctrl-C, 143 for SIGTERM.
int interrupted_status();

/// The status of a command whose output to stdout is all written, given its own status. Where it
/// could not be written that is reported, and the status is kFailure; but where its reader has left
/// (cone ... | head) nothing is reported, and it is 141, as if SIGPIPE had ended it.
int finish_stdout(int status);

/// Progress on stderr (a bar on a terminal, plain lines otherwise, nothing when quiet) that stops
/// the run after Ctrl-C.
class ConsoleProgress : public ProgressObserver {
 public:
  explicit ConsoleProgress(bool quiet);
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  void clear();
  /// The computation is over: from now on a signal stops nothing, so that its files are written.
  void finish() { is_finished_ = true; }
  /// Prints the expected time of a run that takes more than a few seconds, and starts the estimate
  /// of the time left from it. `note`: what Ctrl-C keeps, where it keeps something.
  void announce(std::span<const ExpectedCost> costs, std::string_view note = {});

 private:
  bool is_finished_ = false;
  std::unique_ptr<TerminalProgress> bar_;
};

}  // namespace cone::app

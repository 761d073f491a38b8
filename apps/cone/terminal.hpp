#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cone/context.hpp"

#include "results/terminal_progress.hpp"

namespace cone::app {

/// From now on Ctrl-C (or SIGTERM) asks the running command to stop at its next safe point; the
/// second ends the process at once. A file that became shorter while it was being read ends it with
/// a message and status kBadInput.
void catch_interrupts();
bool was_interrupted();
/// As a shell reports the signal that stopped the command: 130 for Ctrl-C, 143 for SIGTERM.
int interrupted_status();

/// Progress on stderr (a bar on a terminal, plain lines otherwise, nothing when quiet) that stops
/// the run after Ctrl-C.
class ConsoleProgress : public ProgressObserver {
 public:
  explicit ConsoleProgress(bool quiet);
  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  void clear();

 private:
  std::unique_ptr<TerminalProgress> bar_;
};

}  // namespace cone::app

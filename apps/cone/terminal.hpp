#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cone/base/progress.hpp"

namespace cone::app {

/// From now on Ctrl-C asks the running command to stop at its next safe point; a second Ctrl-C ends
/// the process at once.
void catch_interrupts();
bool was_interrupted();

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

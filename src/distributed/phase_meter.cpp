#include "distributed/phase_meter.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <malloc.h>

namespace cone::distributed {
namespace {

/// Peak resident memory of this process (VmHWM); 0 where Linux does not report it.
std::uint64_t read_peak_bytes() {
  constexpr std::uint64_t kKibibyte = 1024;
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != "VmHWM:") continue;
    std::uint64_t kibibytes = 0;
    status >> kibibytes;
    return kibibytes * kKibibyte;
  }
  return 0;
}

/// Resets the peak to the present memory.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

PhaseMeter::PhaseMeter(const Communicator& comm) : comm_(comm), before_(comm.traffic()) {}

void PhaseMeter::finish(std::string name) {
  const Communicator::Traffic now = comm_.traffic();
  auto phase = std::ranges::find(phases_, name, &Phase::name);
  if (phase == phases_.end()) {
    phase = phases_.insert(phases_.end(), {.name = std::move(name)});
  }
  phase->seconds += watch_.seconds();
  phase->peak_bytes = std::max(phase->peak_bytes, read_peak_bytes());
  phase->traffic.num_bytes += now.num_bytes - before_.num_bytes;
  phase->traffic.num_calls += now.num_calls - before_.num_calls;
  phase->traffic.seconds += now.seconds - before_.seconds;
  // Memory that a phase left to the allocator must not count for the next one.
  malloc_trim(0);
  reset_peak();
  before_ = now;
  watch_ = Stopwatch();
}

void MeteredProgress::enter(const ProgressStage& stage) {
  next_.enter(stage);
  // "ridge (3 of 7 models), fold 2 of 5"
  std::string outermost = stage.label.substr(0, stage.label.find_first_of(",("));
  while (outermost.ends_with(' ')) outermost.pop_back();
  if (outermost == stage_) return;
  if (!stage_.empty()) meter_.finish(stage_);
  stage_ = std::move(outermost);
}

}  // namespace cone::distributed

#include "distributed/phase_meter.hpp"

#include <fstream>
#include <utility>

#include <malloc.h>

namespace cone::distributed {
namespace {

/// The mark of the most memory that this process had, as Linux keeps it; 0 where it does not.
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

/// Lowers the mark to what the process has now.
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

}  // namespace

PhaseMeter::PhaseMeter(const Ranks& ranks) : ranks_(ranks), before_(ranks.traffic()) {}

void PhaseMeter::finish(std::string name) {
  const Ranks::Traffic& now = ranks_.traffic();
  phases_.push_back(
      {.name = std::move(name),
       .seconds = watch_.seconds(),
       .peak_bytes = read_peak_bytes(),
       .traffic = {now.num_bytes - before_.num_bytes, now.num_calls - before_.num_calls,
                   now.seconds - before_.seconds}});
  // What a phase left to the allocator is not the next one's memory.
  malloc_trim(0);
  reset_peak();
  before_ = now;
  watch_ = Stopwatch();
}

}  // namespace cone::distributed

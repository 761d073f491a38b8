#include "mpi/barrier.hpp"

#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cone::mpi {
namespace {

constexpr int kSpins = 20'000;  ///< before it sleeps: about a millisecond

// std::atomic::wait uses a process-private futex; ranks are different processes.
void call_futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Barrier::wait_for_all(std::uint32_t count, bool is_oversubscribed) {
  const std::uint32_t generation = generation_.load();
  if (arrived_.fetch_add(1) + 1 == count) {
    arrived_.store(0, std::memory_order_relaxed);
    generation_.store(generation + 1);
    // A rank that registers as a sleeper after this load checks the generation again before it
    // sleeps.
    if (sleepers_.load() > 0) wake_all();
    return;
  }
  for (int spin = is_oversubscribed ? kSpins : 0; spin < kSpins; ++spin) {
    if (generation_.load(std::memory_order_acquire) != generation) return;
    pause();
  }
  sleep_until_after(generation);
}

void Barrier::sleep_until_after(std::uint32_t generation) {
  sleepers_.fetch_add(1);
  while (generation_.load() == generation) call_futex(generation_, FUTEX_WAIT, generation);
  sleepers_.fetch_sub(1);
}

void Barrier::wake_all() {
  call_futex(generation_, FUTEX_WAKE, std::numeric_limits<std::int32_t>::max());
}

}  // namespace cone::mpi

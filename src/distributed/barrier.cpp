#include "distributed/barrier.hpp"

#include <limits>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cone::distributed {
namespace {

constexpr int kLooks = 20'000;  ///< before going to sleep: about a millisecond

// std::atomic::wait sleeps where threads of one process wake it; these are other processes.
void ask_kernel(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  static_assert(sizeof word == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

void Barrier::wait_for_all(std::uint32_t count, bool is_crowded) {
  const std::uint32_t turn = turn_.load();
  if (arrived_.fetch_add(1) + 1 == count) {
    arrived_.store(0, std::memory_order_relaxed);
    turn_.store(turn + 1);
    // Who counts as a sleeper only after this looks at the turn once more before it sleeps.
    if (sleepers_.load() > 0) wake_all();
    return;
  }
  for (int look = is_crowded ? kLooks : 0; look < kLooks; ++look) {
    if (turn_.load(std::memory_order_acquire) != turn) return;
    pause();
  }
  sleep_through(turn);
}

void Barrier::sleep_through(std::uint32_t turn) {
  sleepers_.fetch_add(1);
  while (turn_.load() == turn) ask_kernel(turn_, FUTEX_WAIT, turn);
  sleepers_.fetch_sub(1);
}

void Barrier::wake_all() {
  ask_kernel(turn_, FUTEX_WAKE, std::numeric_limits<std::int32_t>::max());
}

}  // namespace cone::distributed

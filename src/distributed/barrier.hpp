#pragma once

#include <atomic>
#include <cstdint>

namespace cone::distributed {

/// Where processes that share memory wait for each other; lies in that memory, zero at the start.
/// Who waits leaves the core's other thread alone, which often is the one that is waited for: MPI's
/// own waiting looks at every message queue meanwhile. Who waits for long sleeps until it is woken:
/// giving the core away again and again takes as much of it as working does where other programs
/// want it too.
class Barrier {
 public:
  /// Returns when `count` processes have called it. `is_crowded`: more processes than cores, so
  /// who waits sleeps at once.
  void wait_for_all(std::uint32_t count, bool is_crowded);

 private:
  /// Until the turn is another one.
  void sleep_through(std::uint32_t turn);
  void wake_all();

  alignas(64) std::atomic<std::uint32_t> arrived_;
  alignas(64) std::atomic<std::uint32_t> turn_;
  std::atomic<std::uint32_t> sleepers_;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share no locks");

}  // namespace cone::distributed

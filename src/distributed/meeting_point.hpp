#pragma once

#include <atomic>
#include <cstdint>

namespace cone::distributed {

/// Where processes that share memory wait for each other; lies in that memory, zero at the start.
/// Who waits leaves the core's other thread alone, which often is the one that is waited for: MPI's
/// own waiting looks at every message queue meanwhile.
class MeetingPoint {
 public:
  /// Returns when `count` processes have called it. `is_crowded`: more processes than cores, so
  /// who waits gives its core away at once.
  void wait_for_all(std::uint32_t count, bool is_crowded) {
    const std::uint32_t turn = turn_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
      arrived_.store(0, std::memory_order_relaxed);
      turn_.store(turn + 1, std::memory_order_release);
      return;
    }
    int looks = is_crowded ? kLooks : 0;
    while (turn_.load(std::memory_order_acquire) == turn) rest(looks);
  }

 private:
  static constexpr int kLooks = 20'000;  ///< before the core is given away: about a millisecond

  static void rest(int& looks);

  alignas(64) std::atomic<std::uint32_t> arrived_;
  alignas(64) std::atomic<std::uint32_t> turn_;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share no locks");

}  // namespace cone::distributed

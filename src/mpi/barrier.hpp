#pragma once

#include <atomic>
#include <cstdint>

namespace cone::mpi {

/// A barrier of ranks on one host; lives in their shared memory and starts as zeros. A waiting rank
/// spins with PAUSE, which frees the sibling hyper-thread (MPI_Barrier polls its message queues
/// instead), and after about 1 ms waits on a futex: yielding the core in a loop costs as much CPU
/// time as computing where other programs compete for it.
class Barrier {
 public:
  /// Returns when `count` ranks have called it. `is_oversubscribed`: more ranks than cores, so a
  /// waiting rank sleeps at once.
  void wait_for_all(std::uint32_t count, bool is_oversubscribed);

 private:
  /// Waits until the generation has changed.
  void sleep_until_after(std::uint32_t generation);
  void wake_all();

  alignas(64) std::atomic<std::uint32_t> arrived_;
  alignas(64) std::atomic<std::uint32_t> generation_;
  std::atomic<std::uint32_t> sleepers_;
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free,
              "ranks are processes and share no locks");

}  // namespace cone::mpi

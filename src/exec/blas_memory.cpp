#include "exec/blas_memory.hpp"

#include <atomic>
#include <mutex>
#include <new>
#include <vector>

#include <dlfcn.h>
#include <sys/mman.h>

namespace cone {
namespace {

/// What others may take between our look and the allocation.
constexpr std::size_t kSlackBytes = std::size_t{16} << 20;

std::atomic<int> num_expected = 1;
std::atomic<int> num_reserved = 0;

/// OpenBLAS's own allocator, by which its buffers can be taken before they are needed. Other
/// libraries do not have it: nothing is reserved then, only looked at.
struct BlasAllocator {
  using Allocate = void* (*)(int);
  using Free = void (*)(void*);
  Allocate allocate = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  Free free = reinterpret_cast<Free>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
};

}  // namespace

void expect_blas_threads(int num_threads) {
  int known = num_expected;
  while (known < num_threads && !num_expected.compare_exchange_weak(known, num_threads)) {
  }
}

bool has_room_for(std::size_t bytes) {
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) return false;
  munmap(place, bytes);
  return true;
}

void reserve_blas_memory() {
  if (num_reserved >= num_expected) return;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const int wanted = num_expected;
  if (num_reserved >= wanted) return;
  static const BlasAllocator blas;
  if (blas.allocate == nullptr || blas.free == nullptr) {
    const auto more = static_cast<std::size_t>(wanted - num_reserved);
    if (!has_room_for(more * kBlasBufferBytes + kSlackBytes)) throw std::bad_alloc();
    num_reserved = wanted;
    return;
  }
  std::vector<void*> buffers;
  buffers.reserve(static_cast<std::size_t>(wanted));
  bool has_room = true;
  while (has_room && buffers.size() < static_cast<std::size_t>(wanted)) {
    has_room = has_room_for(kBlasBufferBytes + kSlackBytes);
    if (has_room) buffers.push_back(blas.allocate(0));
  }
  for (void* buffer : buffers) blas.free(buffer);
  if (!has_room) throw std::bad_alloc();
  num_reserved = wanted;
}

}  // namespace cone

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include <cblas.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include "cone/context.hpp"

namespace cone {
namespace {

/// Memory that other threads may take between the check and the allocation.
constexpr std::size_t kSlackBytes = std::size_t{16} << 20;

std::atomic<int> num_expected = 1;
std::atomic<int> num_reserved = 0;

/// OpenBLAS's own allocator, which allocates its buffers before they are needed. Other BLAS
/// libraries do not export it: then the memory is only checked, not reserved.
struct BlasAllocator {
  using Allocate = void* (*)(int);
  using Free = void (*)(void*);
  Allocate allocate = reinterpret_cast<Allocate>(dlsym(RTLD_DEFAULT, "blas_memory_alloc"));
  Free free = reinterpret_cast<Free>(dlsym(RTLD_DEFAULT, "blas_memory_free"));
};

/// The number of OpenBLAS's buffers, from its configuration ("... Haswell MAX_THREADS=64").
int count_blas_buffers(std::string_view config) {
  constexpr std::string_view kKey = "MAX_THREADS=";
  constexpr int kFewest = 50;
  int built_for = 0;
  if (const std::size_t at = config.find(kKey); at != std::string_view::npos) {
    std::from_chars(config.data() + at + kKey.size(), config.data() + config.size(), built_for);
  }
  return std::max(kFewest, 2 * built_for);
}

}  // namespace

int most_blas_callers() {
  constexpr int kLeftForOthers = 10;  // threads of the application that call the same library
  static const int most = count_blas_buffers(openblas_get_config()) - kLeftForOthers;
  return most;
}

void expect_blas_threads(int num_threads) {
  num_threads = std::min(num_threads, most_blas_callers());
  int known = num_expected;
  while (known < num_threads && !num_expected.compare_exchange_weak(known, num_threads)) {
  }
}

bool has_room_for(std::size_t bytes) {
  void* block = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) return false;
  munmap(block, bytes);
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

#include <new>

#include "cone/matrix.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cone {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Smaller blocks would waste more of their pages than they gain.
bool deserves_huge_pages(std::size_t bytes) { return bytes >= kHugePage; }

std::align_val_t alignment(std::size_t bytes) {
  return std::align_val_t{deserves_huge_pages(bytes) ? kHugePage : kCacheLine};
}

}  // namespace

void* allocate_aligned(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
  // Advice only: the memory is usable even if the system ignores it.
  if (deserves_huge_pages(bytes)) ::madvise(memory, bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

void free_aligned(void* memory, std::size_t bytes) noexcept {
  ::operator delete(memory, alignment(bytes));
}

}  // namespace cone

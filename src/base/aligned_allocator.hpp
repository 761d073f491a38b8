#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace cone {

/// Memory that starts on a cache line. Blocks of several megabytes start on a huge page and ask the
/// system for such pages: rows that are gathered in no order then miss far fewer translations.
/// Throws std::bad_alloc.
void* allocate_aligned(std::size_t bytes);
void free_aligned(void* memory, std::size_t bytes) noexcept;

/// A vector register as wide as a cache line then never loads from two of them.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_aligned(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { free_aligned(memory, count * sizeof(T)); }
  /// An element that is given no value stays untouched: clearing gigabytes takes seconds.
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Values>
  void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
  friend bool operator==(const AlignedAllocator&, const AlignedAllocator&) { return true; }
};

}  // namespace cone

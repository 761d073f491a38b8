#pragma once

#include <cstddef>

namespace cone {

/// OpenBLAS takes one buffer of this size for each call that runs at the same time, and keeps it.
/// Where the system refuses, it tries again, forever and deaf to signals, inside its allocator.
inline constexpr std::size_t kBlasBufferBytes = std::size_t{128} << 20;

/// BLAS will be called by this many threads at a time.
void expect_blas_threads(int num_threads);

/// Lets OpenBLAS take the buffers of the expected threads, each after making sure that there is
/// room. Throws std::bad_alloc where there is none. Cheap once it has succeeded; OneBlasThread
/// calls it before the first BLAS call.
void reserve_blas_memory();

/// Whether the address space has room for this much more.
bool has_room_for(std::size_t bytes);

}  // namespace cone

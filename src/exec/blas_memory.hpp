#pragma once

#include <cstddef>

namespace cone {

/// OpenBLAS takes one buffer of this size for each call that runs at the same time, and keeps it.
/// Where the system refuses, it tries again, forever and deaf to signals, inside its allocator.
inline constexpr std::size_t kBlasBufferBytes = std::size_t{128} << 20;

/// How many threads may call BLAS at a time. OpenBLAS has a fixed number of buffers, 50 or two per
/// thread that it was built for, whichever is more. A call beyond them fails: OpenBLAS writes to
/// stdout and uses a null pointer. OneBlasThread has the others wait.
int most_blas_callers();

/// BLAS will be called by this many threads at a time, or by most_blas_callers() if that is less.
void expect_blas_threads(int num_threads);

/// Lets OpenBLAS take the buffers of the expected threads, each after making sure that there is
/// room. Throws std::bad_alloc where there is none. Cheap once it has succeeded; OneBlasThread
/// calls it before the first BLAS call.
void reserve_blas_memory();

/// Whether the address space has room for this much more.
bool has_room_for(std::size_t bytes);

}  // namespace cone

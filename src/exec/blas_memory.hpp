#pragma once

#include <cstddef>

namespace cone {

/// OpenBLAS allocates a buffer of this size for each concurrent call and keeps it. Where the
/// allocation fails, its allocator retries forever and cannot be interrupted.
inline constexpr std::size_t kBlasBufferBytes = std::size_t{128} << 20;

/// How many threads may call BLAS concurrently. OpenBLAS has a fixed number of buffers: 50, or two
/// per thread that it was built for if that is more. A call beyond them fails: OpenBLAS writes to
/// stdout and dereferences a null pointer. OneBlasThread makes the other threads wait.
int most_blas_callers();

/// Announces this many concurrent callers of BLAS, at most most_blas_callers().
void expect_blas_threads(int num_threads);

/// Makes OpenBLAS allocate the buffers of the expected threads, each after a check that there is
/// memory. Throws std::bad_alloc where there is none. Cheap once it has succeeded; OneBlasThread
/// calls it before the first BLAS call.
void reserve_blas_memory();

/// Whether the address space has room for this much more.
bool has_room_for(std::size_t bytes);

}  // namespace cone

#pragma once

namespace cone {

/// A guard: during its lifetime, BLAS calls of this thread run on this thread only. Parallelism is
/// over tasks of the Context, so threads inside BLAS would compete with them, and results would
/// depend on the number of threads that sums are split into. OpenBLAS built on OpenMP reads the
/// calling thread's number of threads, which is set here and restored: a caller's own OpenMP code
/// keeps its threads. OpenBLAS built on its own threads has one number for the whole program, which
/// stays 1 from the first guard on: restoring it would affect other threads.
///
/// At most most_blas_callers() threads hold a guard at a time; others wait. So a thread must not
/// wait for tasks of other threads while it holds one.
class OneBlasThread {
 public:
  /// Guards may be nested. Throws std::bad_alloc where there is no memory for BLAS's buffers
  /// (blas_memory.hpp).
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int previous_;
};

}  // namespace cone

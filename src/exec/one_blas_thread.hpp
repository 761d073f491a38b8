#pragma once

namespace cone {

/// While it lives, BLAS calls of this thread run on this thread alone. Work runs side by side as
/// tasks of the Context, so threads inside BLAS would only compete with them, and sums cut up for a
/// machine-dependent number of threads would make results depend on it. OpenBLAS built on OpenMP
/// asks for the number of the calling thread, which is set here and put back: a caller's own OpenMP
/// code keeps its threads. OpenBLAS built on threads of its own knows one number for the whole
/// program, which stays at 1 from the first guard on: put back, it would change under the feet of
/// other threads.
///
/// At most most_blas_callers() threads hold a guard at the same time; others wait for one of them.
/// So a thread must not wait for tasks of other threads while it holds one.
class OneBlasThread {
 public:
  /// A thread that holds one already may take another. Throws std::bad_alloc where BLAS would find
  /// no memory for its buffers (blas_memory.hpp).
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int previous_;
};

}  // namespace cone

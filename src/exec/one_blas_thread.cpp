#include "exec/one_blas_thread.hpp"

#include <semaphore>

#include <cblas.h>
#include <omp.h>

#include "cone/context.hpp"

namespace cone {
namespace {

thread_local int num_held = 0;  // guards of this thread, which share one slot

std::counting_semaphore<>& free_slots() {
  static std::counting_semaphore<> slots(most_blas_callers());
  return slots;
}

}  // namespace

OneBlasThread::OneBlasThread() : previous_(omp_get_max_threads()) {
  reserve_blas_memory();
  if (num_held++ == 0) free_slots().acquire();
  omp_set_num_threads(1);
  // An OpenBLAS built on its own threads ignores OpenMP.
  if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  omp_set_num_threads(previous_);
  if (--num_held == 0) free_slots().release();
}

}  // namespace cone

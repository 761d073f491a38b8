#include "exec/one_blas_thread.hpp"

#include <semaphore>

#include <cblas.h>
#include <omp.h>

#include "exec/blas_memory.hpp"

namespace cone {
namespace {

thread_local int num_held = 0;  // guards of this thread, which need one place

std::counting_semaphore<>& free_places() {
  static std::counting_semaphore<> places(most_blas_callers());
  return places;
}

}  // namespace

OneBlasThread::OneBlasThread() : previous_(omp_get_max_threads()) {
  reserve_blas_memory();
  if (num_held++ == 0) free_places().acquire();
  omp_set_num_threads(1);
  // A build of OpenBLAS with threads of its own does not listen to OpenMP.
  if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() {
  omp_set_num_threads(previous_);
  if (--num_held == 0) free_places().release();
}

}  // namespace cone

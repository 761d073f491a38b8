#include "exec/one_blas_thread.hpp"

#include <cblas.h>
#include <omp.h>

#include "exec/blas_memory.hpp"

namespace cone {

OneBlasThread::OneBlasThread() : previous_(omp_get_max_threads()) {
  reserve_blas_memory();
  omp_set_num_threads(1);
  // A build of OpenBLAS with threads of its own does not listen to OpenMP.
  if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
}

OneBlasThread::~OneBlasThread() { omp_set_num_threads(previous_); }

}  // namespace cone

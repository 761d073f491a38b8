#pragma once

#include <cstddef>

#include <cblas.h>
#include <lapacke.h>
#include <omp.h>

#include "cone/base/matrix.hpp"
#include "cone/base/sparse_matrix.hpp"

namespace cone {

/// While it lives, BLAS calls of this thread run on this thread alone. Fits run side by side as
/// tasks of the Context, so threads inside BLAS would only compete with them, and sums cut up for a
/// machine-dependent number of threads would make results depend on it. OpenBLAS built on OpenMP
/// asks for the number of the calling thread, which is set here and put back: nothing global
/// changes, and a caller's own OpenMP code keeps its threads.
class OneBlasThread {
 public:
  OneBlasThread() : previous_(omp_get_max_threads()) {
    omp_set_num_threads(1);
    // A build of OpenBLAS with threads of its own does not listen to OpenMP.
    if (openblas_get_parallel() == OPENBLAS_THREAD) openblas_set_num_threads(1);
  }
  ~OneBlasThread() { omp_set_num_threads(previous_); }
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int previous_;
};

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Adds up outer products of the sparse rows, or blocks of rows made dense where that is cheaper.
Matrix<double> gram_matrix(const SparseMatrix& m);

}  // namespace cone

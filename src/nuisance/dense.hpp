#pragma once

#include <cstddef>

#include <cblas.h>
#include <lapacke.h>

#include "cone/base/matrix.hpp"
#include "cone/base/sparse_matrix.hpp"

namespace cone {

/// Makes BLAS calls of the calling thread run on that thread alone. Fits run side by side as tasks
/// of the Context, so threads inside BLAS would only compete with them, and a sum split over a
/// machine-dependent number of threads would make results depend on it. OpenBLAS built on OpenMP
/// keeps the number per thread, hence a call at the start of whatever uses BLAS and not one at
/// start-up. Cheap after a thread's first call; never undone.
void use_one_blas_thread();

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Adds up outer products of the sparse rows, or blocks of rows made dense where that is cheaper.
Matrix<double> gram_matrix(const SparseMatrix& m);

}  // namespace cone

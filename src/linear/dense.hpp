#pragma once

#include <cstddef>

#include <cblas.h>
#include <lapacke.h>

#include "base/matrix.hpp"
#include "base/sparse_matrix.hpp"
#include "exec/context.hpp"
#include "exec/one_blas_thread.hpp"

namespace cone {

/// The lower triangle of the dense matrix M'M of a sparse M (cols × cols, zero above the diagonal).
/// Adds up outer products of the sparse rows, or blocks of rows made dense where that is cheaper.
Matrix<double> gram_matrix(const Context& context, const SparseMatrix& m);

}  // namespace cone

#pragma once

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "ops/sparse.hpp"

namespace cone::ops {

/// out = X'·V, X n × p sparse, V n × d dense, out p × d (overwritten). Rows of V are read in order
/// and added to tables of p × d, one per piece of rows, which are then summed in order: for small p
/// much faster than a product with the stored transpose, which reads the rows of V at random.
/// O(entries · d), and memory for a few tables.
void transposed_sparse_times_dense(const Context& context, const SparseView<double>& x,
                                   MatrixView<const double> v, MatrixView<double> out);

}  // namespace cone::ops

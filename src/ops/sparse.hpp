#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone::ops {

/// Compressed sparse rows in the precision of the computation. Columns ascend within a row.
template <class Real>
struct SparseView {
  std::size_t num_cols = 0;
  std::span<const std::uint64_t> offsets;  ///< rows + 1
  std::span<const std::uint32_t> columns;
  std::span<const Real> values;

  std::size_t rows() const { return offsets.size() - 1; }
};

/// out = X·W, X n × p sparse, W p × d dense, out n × d (overwritten). Called with the transpose of
/// X it is the product X'·G of a backward pass. O(entries · d).
template <class Real>
void sparse_times_dense(const Context& context, const SparseView<Real>& x, MatrixView<const Real> w,
                        MatrixView<Real> out);

}  // namespace cone::ops

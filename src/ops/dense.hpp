#pragma once

#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone::ops {

/// out = A·B (+ out when accumulate). Row-major; A may be a view with a stride. Split by fixed
/// blocks of rows over the threads, each on a single-threaded BLAS: bitwise equal at any number of
/// threads.
template <class Real>
void multiply(const Context& context, MatrixView<const Real> a, MatrixView<const Real> b,
              MatrixView<Real> out, bool accumulate = false);

/// out = A'·B (+ out): reduced over fixed blocks of rows in a fixed order.
template <class Real>
void multiply_transposed_a(const Context& context, MatrixView<const Real> a,
                           MatrixView<const Real> b, MatrixView<Real> out, bool accumulate = false);

/// out = A·B' (+ out).
template <class Real>
void multiply_transposed_b(const Context& context, MatrixView<const Real> a,
                           MatrixView<const Real> b, MatrixView<Real> out, bool accumulate = false);

/// x ← ELU(x + bias) in place, α = 1, row by row. In-place ELU loses nothing: ELU' = 1 for y > 0
/// and y + 1 otherwise.
template <class Real>
void bias_elu(const Context& context, std::span<const Real> bias, MatrixView<Real> x);

/// d ← d · ELU'(from y = ELU(x)), in place, and d_bias = column sums of the result.
template <class Real>
void bias_elu_backward(const Context& context, MatrixView<const Real> y, MatrixView<Real> d,
                       std::span<Real> d_bias);

/// Sums of the columns, over fixed blocks in a fixed order.
template <class Real>
void column_sums(const Context& context, MatrixView<const Real> x, std::span<Real> sums);

}  // namespace cone::ops

#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone::ops {

/// out_i = Σ of the rows of V in list i, which is rows[offsets[i] ... offsets[i+1]): the product of
/// a 0/1 matrix in compressed sparse rows, without values, and V. O(entries · columns).
void sum_listed_rows(const Context& context, std::span<const std::uint64_t> offsets,
                     std::span<const std::uint32_t> rows, MatrixView<const double> v,
                     MatrixView<double> out);

}  // namespace cone::ops

#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone::ops {

/// out_i = the sum of the rows of V that list i names; list i is rows[offsets[i] ... offsets[i+1]).
/// A product with a matrix of zeros and ones in compressed rows, without its values.
/// O(entries · columns).
void sum_listed_rows(const Context& context, std::span<const std::uint64_t> offsets,
                     std::span<const std::uint32_t> rows, MatrixView<const double> v,
                     MatrixView<double> out);

}  // namespace cone::ops

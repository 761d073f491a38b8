#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// For every column, the first earlier column that it is a copy of: the same numbers up to scale,
/// sign and shift. Constants are copies of nothing. A comparison ends at the first number that
/// differs, so this is about O(rows · columns + columns²).
std::vector<std::optional<std::size_t>> find_copies(const Context& context,
                                                    const Matrix<double>& columns);

}  // namespace cone

#pragma once

#include <cstddef>

namespace cone::ops {

/// Sizes as BLAS takes them. Matrices of this program are far smaller than its limit.
inline int blas_int(std::size_t value) { return static_cast<int>(value); }

}  // namespace cone::ops

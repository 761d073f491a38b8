#pragma once

#include <cstddef>

namespace cone::ops {

/// A size as BLAS's int. Matrices here are far below its limit.
inline int blas_int(std::size_t value) { return static_cast<int>(value); }

}  // namespace cone::ops

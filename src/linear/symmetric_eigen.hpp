#pragma once

#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// The eigenvectors of a symmetric matrix, one per row, with ascending eigenvalues.
struct SymmetricEigen {
  Matrix<double> vectors;
  std::vector<double> values;
};

/// Reads the lower triangle of `m`. O(size³) on the calling thread. Throws Error(kData) where the
/// values overflow.
SymmetricEigen decompose_symmetric(const Context& context, Matrix<double> m);

}  // namespace cone

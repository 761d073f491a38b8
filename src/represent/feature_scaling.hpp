#pragma once

#include <vector>

#include "cone/base/sparse_matrix.hpp"

namespace cone {

std::vector<double> scaled_features(const SparseMatrix& features);

}  // namespace cone

#pragma once

#include "cone/matrix.hpp"

#include "distributed/ranks.hpp"

namespace cone::distributed {

/// The rows of all ranks in lexicographic order, the smallest on the first rank. Pieces are of
/// about equal size where rows differ; rows that are equal stay on one rank. O(own · log).
Matrix<double> sort_together(const Ranks& ranks, const Matrix<double>& rows);

}  // namespace cone::distributed

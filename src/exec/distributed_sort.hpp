#pragma once

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Sorts the rows of all ranks lexicographically (sample sort), the smallest on rank 0. Parts have
/// about equal sizes where rows differ; equal rows are on one rank. Collective. O(own · log).
Matrix<double> distributed_sort(const Communicator& comm, const Matrix<double>& rows);

}  // namespace cone

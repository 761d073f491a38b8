#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

namespace cone {

/// Squared Euclidean distances between the rows, in the order given: order.size() × order.size(),
/// symmetric up to rounding, exactly 0 for rows that are equal up to rounding.
Matrix<double> squared_distances(const Context& context, MatrixView<const double> rows,
                                 std::span<const std::size_t> order);
/// The same for sparse rows: by scattered products, or by dense blocks where that is cheaper.
Matrix<double> squared_distances(const Context& context, const SparseMatrix& rows,
                                 std::span<const std::size_t> order);

/// The median of the positive distances between two rows; 1 where no two rows differ.
double median_distance(const Context& context, const Matrix<double>& squared);

/// d² → exp(−d² / 2h²), in place.
void apply_gaussian_kernel(const Context& context, double bandwidth, Matrix<double>& squared);

}  // namespace cone

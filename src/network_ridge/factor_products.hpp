#pragma once

#include <cstdint>
#include <span>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/count_factor.hpp"

namespace cone {

/// U'·diag(weights)·U over some rows of an arm, U = (counts, factor): symmetric, both triangles.
/// `ghosts` are the count features of ghost neighbours. O(rows · columns²) over the columns that
/// are not own count features: those are sparse, and their products cost less than the other ones.
Matrix<double> weigh_factor_products(const Context& context, const ArmEquations& equations,
                                     const CountFactor& counts, const SparseMatrix& ghosts,
                                     const Matrix<double>& factor, std::span<const double> weights,
                                     std::span<const std::uint32_t> rows);

}  // namespace cone

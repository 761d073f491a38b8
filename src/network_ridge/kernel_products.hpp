#pragma once

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/position_range.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// K·V with K = Σ_g (σ²_g/c_g)·Φ_gΦ_g', its rows those of `to` and its columns those of `from`,
/// over all ranks. V: rows of `from`. Computed from products with the features, the adjacency
/// matrix and their transposes only: no kernel matrix is formed. Collective.
Matrix<double> multiply_kernel(const Context& context, const RidgeInputs& inputs,
                               const GroupStrengths& strengths, const PositionRange& from,
                               const PositionRange& to, const Matrix<double>& v);

/// K_a·V at every position, V: positions × columns. Collective.
Matrix<double> multiply_kernel(const Context& context, const RidgeSystem& system, std::size_t arm,
                               const Matrix<double>& v);

/// The rows of x at the positions of the arm; zero at the others.
Matrix<double> take_arm_rows(const RidgeInputs& inputs, const Matrix<double>& x, std::size_t arm);

/// The predictions of a solution for an arm in standardised units, positions × columns. Collective.
Matrix<double> predict_in_units(const Context& context, const RidgeSystem& system,
                                const RidgeSolution& solution, std::size_t arm);

}  // namespace cone

#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge.hpp"

namespace cone {

// The variance of the error that the model expects of its predictions, at the positions that the
// tasks of a part score: positions × arms, in units of each arm's sd². Other positions keep what
// `variance` has. With a position's column K_Ji and b_i on the right of the equations, x are the
// weights of its prediction, and
//
//   variance = k_ii − k_i'x − b_i'λ + x'(N − N_u)x
//
// where N is the noise that was learnt and N_u that of the undersmoothed equations. With both the
// same it is the posterior variance.

/// Exact: one column per scored position, O(edges · columns) and what the solver takes; without
/// columns by the low-rank solver.
void find_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    Matrix<double>& variance);

/// By drawing: all random effects and the noise from the model, as many outcomes as draws, and how
/// far their predictions are from what was drawn. The relative error of a standard deviation is
/// 1/√(2·draws). A function of the context's seed.
void draw_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    std::uint32_t draws, Matrix<double>& variance);

/// The noise of the position's own arm as it was learnt, whatever the equations are solved with.
double learnt_noise(const RidgeSystem& system, std::size_t position);

/// What a solution predicts of an arm, in units of its sd about its mean: positions × columns.
Matrix<double> predict_in_units(const Context& context, const RidgeSystem& system,
                                const RidgeSolution& solution, std::size_t arm);

/// The solution's x at the positions of the arm, zero elsewhere.
Matrix<double> take_arm_rows(const RidgeInputs& inputs, const Matrix<double>& x, std::size_t arm);

}  // namespace cone

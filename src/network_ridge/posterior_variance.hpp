#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/network_ridge.hpp"

namespace cone {

// The prediction error variance under the model (Henderson 1975) at the positions that the tasks of
// a part score: positions × arms, in units of each arm's sd². Other rows of `variance` are left as
// they are. With a position's column K_Ji and b_i as right-hand side of the equations, x are the
// weights of its prediction, and
//
//   variance = k_ii − k_i'x − b_i'λ + x'(N − N_u)x
//
// where N is the learnt noise and N_u that of the undersmoothed equations. Where both are the same
// it is the posterior variance.

/// Exact: one right-hand side per scored position, O(edges · columns) and the cost of the solver;
/// the low-rank solver needs no right-hand sides.
void find_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    Matrix<double>& variance);

/// By parametric bootstrap: draws all random effects and the noise from the model, predicts from
/// the drawn outcomes, and averages the squared errors. The relative error of a standard deviation
/// is 1/√(2·draws). A function of the context's seed.
void draw_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    std::uint32_t draws, Matrix<double>& variance);

/// The learnt noise variance of the position's own arm, without undersmoothing.
double learnt_noise(const RidgeSystem& system, std::size_t position);

}  // namespace cone

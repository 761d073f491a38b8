#pragma once

#include <span>
#include <vector>

#include "cone/context.hpp"

#include "joint_model/treatment_slope.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The model of an arm's outcomes and of who received it:
///
///   y_i       = b_i'β + f_i + ε'_i + ε_i,                 ε' ~ N(0, δ·τ1·d_i/d̄)
///   logit e_i = b_i'γ + θ·(f_i + ε'_i) + h_i
///
/// f the effects of the network ridge, ε' the share δ of the noise that grows with the degree, on
/// which treatment depends too, ε the rest of the noise.
struct JointEquations {
  const RidgeSystem& outcomes;  ///< with undersmoothing 1
  std::size_t arm;
  const TreatmentSlope& treatment;   ///< its fixed effects span those of the outcomes
  std::span<const double> outcome;   ///< standardised, of the arm's positions
  std::span<const double> received;  ///< 1 where a position received the arm
  double selected_noise = 0;         ///< δ
};

struct JointSolution {
  /// a = P_z(z − θm): by how much more often a position received the arm than expected, given the
  /// outcomes.
  std::vector<double> surprise;
  bool converged = true;
};

/// Solves the stacked mixed model of the outcomes of the arm and the working outcomes of the
/// treatment, with the slope and all variances given, and updates the log odds for some rounds.
JointSolution solve_joint_model(const Context& context, const JointEquations& equations,
                                double tolerance = 1e-6);

/// By how much surprises (one per position) move the predictions of the positions that did not
/// receive the arm, and 0 at the others; standardised. With C the posterior covariance by the
/// outcomes of J alone, H the map from these to predictions and U the other positions:
///
///   Δ = θ·{C_UU·a_U + H_UJ·(1 − δ_J)·N_J·a_J + δ_U·N_U·a_U}
///
/// `solver`: of the outcomes; `task` learns from all positions.
std::vector<double> extrapolate(const Context& context, const JointEquations& equations,
                                const RidgeSolver& solver, std::size_t task,
                                std::span<const double> surprise);

}  // namespace cone

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"

// The world `nonlinear`: outcome and treatment are non-linear functions of a node's observed
// numeric features m_1, ..., m_5. With every term of mean 0 and variance 1,
//
//   f_i       = ½ [(m_1² − 1)/√2 + sign(m_2) + m_3 m_4 + (cos 2m_5 − e⁻²)/c]
//               a quadratic, a threshold, an interaction and a cosine
//   g_ia      = sign(m_{1+a}) m_{2+a}, indices modulo 5
//   t_i       ~ softmax(p_i^0, p_i^1 + 2 f_i, p_i^2 − 2 f_i, ...), the signs alternating
//   y_i(a)    = q_i^a / 3 + f_i + ½ g_ia (a > 0) + ε_i, standardised as in every world,
//
// q the p standardised over all arms (0 where p does not vary). A linear function explains a sixth
// of the variance of f, so linear adjustment leaves most of the confounding bias.

// The world `observed_confounding`: no unmeasured confounding. With m_i the observed numeric
// features of a node (as in the world `nonlinear`) and b^t a random direction for every arm t,
//
//   p_i^t = ½ (κ1 z(b^t·m_i) + κ2 z(Σ_j b^t·m_j)),   z: mean 0 and sd 1 over the nodes
//
// the sum over the neighbours of i (0 without edges); treatment and outcome follow from p as in
// the paper's world.

namespace cone {

inline constexpr std::size_t kNumNumericFeatures = 5;

/// Standard normal, nodes × kNumNumericFeatures; drawn anew in every simulation.
Matrix<double> draw_numeric_features(const Context& context, std::size_t num_nodes,
                                     std::uint64_t simulation);

/// f of every node: the observed confounder.
std::vector<double> nonlinear_confounder(MatrixView<const double> numeric_features);
/// g of every node, for an arm other than the control arm.
std::vector<double> effect_modifier(MatrixView<const double> numeric_features, std::size_t arm);

/// The treatment logits: p ± 2 f.
ArmValues nonlinear_logits(ArmValues scores, MatrixView<const double> numeric_features);
/// The outcomes before noise and standardisation.
ArmValues nonlinear_outcomes(ArmValues scores, MatrixView<const double> numeric_features);

/// p of the world `observed_confounding`.
ArmValues observed_scores(const Context& context, const Graph& graph,
                          MatrixView<const double> numeric_features, const OutcomeOptions& options,
                          std::uint64_t simulation);

}  // namespace cone

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "simulate/semi_synthetic.hpp"

// The world `bent`: outcome and treatment bend with measurements m_1, ..., m_5 of a node, which
// estimators see. With every part of mean 0 and variance 1,
//
//   f_i       = ½ [(m_1² − 1)/√2 + sign(m_2) + m_3 m_4 + (cos 2m_5 − e⁻²)/c]
//               a curve, a threshold, an interaction and a wave
//   g_ia      = sign(m_{1+a}) m_{2+a}, measurements counted in a circle
//   t_i       ~ softmax(p_i^0, p_i^1 + 2 f_i, p_i^2 − 2 f_i, ...), the signs alternating
//   y_i(a)    = q_i^a / 3 + f_i + ½ g_ia (a > 0) + ε_i, standardised as in every world,
//
// q the p of all arms with mean 0 and sd 1 (0 where p does not vary). A linear function explains a
// sixth of f, so that adjusting linearly leaves most of the bias.

namespace cone {

inline constexpr std::size_t kNumMeasurements = 5;

/// Standard normal, nodes × kNumMeasurements; every simulation draws its own.
Matrix<double> draw_measurements(const Context& context, std::size_t num_nodes,
                                 std::uint64_t simulation);

/// f of every node.
std::vector<double> shared_bend(MatrixView<const double> measurements);
/// g of every node, for an arm after the control arm.
std::vector<double> effect_bend(MatrixView<const double> measurements, std::size_t arm);

/// The logits of treatment: p bent by f.
ArmValues bent_logits(ArmValues scores, MatrixView<const double> measurements);
/// The outcomes before noise and standardising.
ArmValues bent_outcomes(ArmValues scores, MatrixView<const double> measurements);

}  // namespace cone

#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"

// The world `observed_confounding`: no unmeasured confounding. With m_i the observed numeric
// features of a node (as in the world `nonlinear`) and b^t a random direction for every arm t,
//
//   p_i^t = ½ (κ1 z(b^t·m_i) + κ2 z(Σ_j b^t·m_j)),   z: mean 0 and sd 1 over the nodes
//
// the sum over the neighbours of i (0 without edges); treatment and outcome follow from p as in
// the paper's world.

namespace cone {

ArmValues observed_scores(const Context& context, const Graph& graph,
                          MatrixView<const double> numeric_features, const OutcomeOptions& options,
                          std::uint64_t simulation);

}  // namespace cone

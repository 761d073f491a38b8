#pragma once

#include <cstdint>

#include "cone/context.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"

// The world `observed_confounding`: nothing is hidden. With m_i the measurements of a node, which
// estimators see (as in the world `bent`), and b^t one random direction for every arm t,
//
//   p_i^t = ½ (κ1 z(b^t·m_i) + κ2 z(Σ_j b^t·m_j)),   z: mean 0 and sd 1 over the nodes
//
// the sum over the neighbours of i (0 without any edge); treatment and outcome follow from p as in
// the paper's world.

namespace cone {

ArmValues observed_scores(const Context& context, const Graph& graph,
                          MatrixView<const double> measurements, const OutcomeOptions& options,
                          std::uint64_t simulation);

}  // namespace cone

#pragma once

#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/simulate.hpp"

#include "simulate/simulated_data.hpp"

// Worlds with their own network, features and coefficients: cases in which an interval for sampling
// error alone fails. Every simulation draws all of it anew. With x_i observed standard normal
// features, v_i = (x_i1 + ... + x_ik)/√k and u_i an unobserved value (of the node's community,
// smooth along a ring, or the largest among its neighbours),
//
//   t_i    ~ softmax over the arms a of  intercept_a + hidden_a·u_i + index_a·v_i
//   y_i(a) = b u_i + c v_i + effect_a + ε_ia,   ε_ia ~ N(0, noise²), independent between arms
//
// In `exponential` y_i(a) = exp(c v_i) + effect_a + ε_ia; in `few_conversions` it is log-normal
// with probability 0.1 and otherwise 0. self_contained.cpp has the table of coefficients.

namespace cone {

/// In the order of World.
std::vector<World> self_contained_worlds();
bool is_self_contained(World world);
/// Of a self-contained world.
std::size_t num_arms(World world);
/// Of a self-contained world: no unobserved value affects both treatment and outcome.
bool is_unconfounded(World world);

/// Simulation number `simulation` (below 2^24) of a self-contained world: a function of the seed
/// and the number alone. Features are numeric, x1, x2, ...; `cluster` is set where whole clusters
/// are treated alike.
SimulatedData simulate_self_contained(const Context& context, World world,
                                      std::uint64_t simulation);

}  // namespace cone

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/communicator.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

namespace cone {

// With survey weights, importance weights come multiplied by `units` (estimate.hpp). Bounds apply
// to the weight of one unit.

/// w_i = π(t_i | i) / e(t_i | i), from tables of nodes × arms.
std::vector<double> importance_weights(std::span<const Arm> arm, MatrixView<const double> policy,
                                       MatrixView<const double> propensity);

/// Where a weight counts as large: as given, otherwise 5 times the number of arms. Under uniform
/// random assignment every weight is the number of arms, so the limit grows with it.
double limit_of_weights(AutoNumber given, std::size_t num_arms);

/// min(w, bound) (Ionides 2008, Truncated importance sampling).
std::vector<double> clipped_weights(std::span<const double> weights, double bound,
                                    std::span<const double> units = {});
/// w where w ≤ threshold, else 0: beyond it Switch-DR uses the outcome model alone (Wang, Agarwal
/// and Dudík 2017, Optimal and adaptive off-policy evaluation in contextual bandits).
std::vector<double> switched_weights(std::span<const double> weights, double threshold,
                                     std::span<const double> units = {});
/// λ·w / (w² + λ), optimistic shrinkage (Su, Dimakopoulou, Krishnamurthy and Dudík 2020, Doubly
/// robust off-policy evaluation with shrinkage). λ → ∞ is DR, λ → 0 the direct method.
std::vector<double> shrunk_weights(std::span<const double> weights, double lambda,
                                   std::span<const double> units = {});

/// A power of two that brings the largest value near 1, so that squares neither overflow nor vanish
/// and no digit changes.
double scale_for_squares(std::span<const double> values, const Communicator& comm);

/// (Σ w)² / Σ w²: the number of equally weighted nodes with the same variance (Kish 1965, Survey
/// sampling). 0 without weight.
double effective_sample_size(std::span<const double> weights,
                             const Communicator& comm = Communicator::self());

}  // namespace cone

#pragma once

#include <span>
#include <vector>

#include "cone/estimate.hpp"

namespace cone {

/// For every arm, the degrees of freedom of its contribution to a value's variance. The variance of
/// Σ_{i∈a} v_i·ε_i is estimated by Σ v_i²·r_i²; for normal noise of equal variance that has the
/// relative variance 2·Σv⁴/(Σv²)², as an average of (Σv²)²/Σv⁴ squares has; one is lost for the
/// arm's mean. `noise_share`: of a model that splits the residual variance into noise and effects,
/// as contributions for the sample do; else empty. A held-out residual has the variance
/// σ²/(1 − h_i), h_i the leverage, so that the share is 1 − p/n_a for p parameters: the noise has
/// that part of the degrees of freedom, the effects have the rest, and the larger part counts.
/// `weights`: of the outcomes in the value; empty where those of an arm are equal. Weights of other
/// nodes than the sample's (split protocol) count in equal parts for every arm.
std::vector<double> count_arm_degrees(const LoggedSample& sample, std::span<const double> weights,
                                      std::span<const double> noise_share);

/// Degrees of freedom of the variance Σ_a V_a, V_a the sum of squared contributions of arm a's
/// nodes: (Σ V_a)² / Σ (V_a²/ν_a), where the arms have ν_a (Satterthwaite 1946, An approximate
/// distribution of estimates of variance components). Variance that no node contributes (unlogged
/// arms, imbalance) is taken to come from the arms in the same proportions. Infinite without
/// contributions or `arm_degrees`.
double satterthwaite_degrees(const LoggedSample& sample, std::span<const double> contributions,
                             std::span<const double> arm_degrees);

}  // namespace cone

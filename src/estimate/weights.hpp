#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace cone {

/// w_i = π(t_i | i) / e(t_i | i), from P(policy treats i) and P(log treated i).
std::vector<double> importance_weights(std::span<const std::uint8_t> treatment,
                                       std::span<const double> policy,
                                       std::span<const double> propensity);

/// min(w, bound).
std::vector<double> clipped_weights(std::span<const double> weights, double bound);
/// w where w ≤ threshold, else 0: beyond it Switch-DR trusts the outcome model alone (Wang, Agarwal
/// and Dudík 2017).
std::vector<double> switched_weights(std::span<const double> weights, double threshold);
/// λ·w / (w² + λ), optimistic shrinkage (Su et al. 2020). λ → ∞ is DR, λ → 0 the direct method.
std::vector<double> shrunk_weights(std::span<const double> weights, double lambda);

/// (Σ w)² / Σ w²: the number of equally weighted nodes with the same variance. 0 without weight.
double effective_sample_size(std::span<const double> weights);

}  // namespace cone

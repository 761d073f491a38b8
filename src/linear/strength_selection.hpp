#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace cone {

/// Candidate prior signal strengths 0 (the null model), then `low` · √10^k up to `high`: from the
/// strongest penalty to the weakest.
std::vector<double> signal_grid(double low, double high);

/// Held-out losses of one selection split, strongest penalty first: loss(0), loss(1), ... Stops
/// after three consecutive candidates that are worse than the best so far, so that the weak end of
/// the path, which costs most, is visited only where it may win.
std::vector<double> losses_along_path(std::size_t num_candidates,
                                      const std::function<double(std::size_t)>& loss);

/// The same for several splits at once: losses(k) are the losses of candidate k on each of them.
/// Stops as soon as one split stops, since only candidates with a loss on every split are compared.
std::vector<std::vector<double>> losses_along_paths(
    std::size_t num_splits, std::size_t num_candidates,
    const std::function<std::vector<double>(std::size_t)>& losses);

/// The candidate with the least total loss over the splits; the strongest penalty in a tie. Only
/// candidates with a loss on every split are compared; splits without losses are ignored.
/// kNoCandidate where no split has any.
std::size_t find_least_loss(const std::vector<std::vector<double>>& losses);

inline constexpr std::size_t kNoCandidate = std::numeric_limits<std::size_t>::max();

}  // namespace cone

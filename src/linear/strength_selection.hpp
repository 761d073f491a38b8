#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

namespace cone {

/// `low` · √10^k up to `high`, behind a leading 0 (the null model): candidates for the share of
/// signal that a model may find, from the strongest penalty to the weakest.
std::vector<double> signal_grid(double low, double high);

/// Held-out losses of one selection split, strongest penalty first: loss(0), loss(1), ... Stops
/// early after three candidates in a row that are worse than the best so far, so that the weak end
/// of the path, which costs most, is visited only where it has a chance.
std::vector<double> losses_along_path(std::size_t num_candidates,
                                      const std::function<double(std::size_t)>& loss);

/// The same of several splits at once: losses(k) is what candidate k costs each of them. Stops as
/// soon as one split stops, since the others could not compare what comes then.
std::vector<std::vector<double>> losses_along_paths(
    std::size_t num_splits, std::size_t num_candidates,
    const std::function<std::vector<double>(std::size_t)>& losses);

/// The candidate with the least total loss over the splits; the strongest of those that tie. Only
/// candidates that every split got to compete; splits without losses do not count. kNoCandidate
/// where no split has any.
std::size_t find_least_loss(const std::vector<std::vector<double>>& losses);

inline constexpr std::size_t kNoCandidate = std::numeric_limits<std::size_t>::max();

}  // namespace cone

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

/// The candidate with the least total loss over the splits; the strongest of those that tie. Only
/// candidates that every split got to compete; splits without losses do not count. kNoCandidate
/// where no split has any.
std::size_t find_least_loss(const std::vector<std::vector<double>>& losses);

inline constexpr std::size_t kNoCandidate = std::numeric_limits<std::size_t>::max();

}  // namespace cone

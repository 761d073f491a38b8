#pragma once

#include <cstdint>

#include "cone/dataset.hpp"
#include "cone/settings.hpp"

#include "nuisance/fit_cost.hpp"

namespace cone {

// What fits of networks and kernels cost: see fit_cost.hpp. Networks are taken to train for all
// their epochs; most stop earlier.

/// One network per arm on the features.
double network_seconds(const FitSize& size, const ConeOptions& options);
double kernel_seconds(const FitSize& size);
double cone_seconds(const FitSize& size, const ConeOptions& options, bool is_fitted);

/// What one epoch of cone's networks handles, in entries of the features: entries, directed edges,
/// and the layers that every node goes through, which are worth about this many entries each.
inline constexpr std::uint64_t kEntriesPerNode = 65;
std::uint64_t cone_epoch_entries(const Dataset& data);

}  // namespace cone

#pragma once

#include <cstdint>

#include "cone/dataset.hpp"
#include "cone/options.hpp"

#include "nuisance/fit_cost.hpp"

namespace cone {

// Expected times of fits of networks and kernels, as in fit_cost.hpp. Networks are assumed to train
// for all epochs; most stop earlier.

/// One network per arm on the features.
double network_seconds(const FitSize& size, const ConeOptions& options);
double kernel_seconds(const FitSize& size);
double cone_seconds(const FitSize& size, const ConeOptions& options, bool is_fitted);

/// Work of one epoch of cone's networks, in feature entries: entries, directed edges, and the dense
/// layers, which cost about this many entries per node.
inline constexpr std::uint64_t kEntriesPerNode = 65;
std::uint64_t cone_epoch_entries(const Dataset& data);

}  // namespace cone

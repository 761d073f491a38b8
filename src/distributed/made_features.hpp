#pragma once

#include "cone/context.hpp"

#include "distributed/share.hpp"
#include "network_ridge/curve_features.hpp"

namespace cone::distributed {

// The features that the network ridge makes of measurements, as one machine makes them
// (network_ridge/smooth_features.hpp, network_ridge/curve_features.hpp). Called by all ranks.

Matrix<double> make_smooth_together(const Context& context, const Ranks& ranks, const Share& share);
Matrix<double> make_curves_together(const Context& context, const Ranks& ranks, const Share& share);

/// The mid-ranks of a column's values among those of all ranks.
RankedColumn rank_together(const Ranks& ranks, const Share& share, std::size_t column);

}  // namespace cone::distributed

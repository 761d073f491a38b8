#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "network_ridge/ridge_fit.hpp"

// The network ridge in a model file (docs/model_format.md).

namespace cone {

/// Options, groups and variances. What the whole file says once (plan, seed, data, arms) is not
/// among it.
void put_network_ridge(ByteWriter& writer, const RidgeFit& fit);

/// Reads what put_network_ridge wrote into a fit that has plan, seed, data and arms already. Safe
/// on bytes from strangers. Reads to the end; throws Error(kData) where that is not where it should
/// be.
void next_network_ridge(ByteReader& reader, RidgeFit& fit);

}  // namespace cone

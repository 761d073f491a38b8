#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "network_ridge/ridge_fit.hpp"

// The network ridge in a model file (docs/model_format.md).

namespace cone {

/// Writes options, groups and variances, without what the file stores once (plan, seed, data,
/// arms).
void put_network_ridge(ByteWriter& writer, const RidgeFit& fit);

/// Reads what put_network_ridge wrote into a fit that has plan, seed, data and arms already. Safe
/// on untrusted bytes. Reads to the end; throws Error(kData) where the bytes are not such a
/// section.
void next_network_ridge(ByteReader& reader, RidgeFit& fit);

}  // namespace cone

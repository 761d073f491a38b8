#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "cone_networks/cone_fit.hpp"

// The networks in a model file (docs/model_format.md).

namespace cone {

/// Features, options, tensors and folds. What the whole file says once (plan, seed, data, arms) is
/// not among it.
void put_networks(ByteWriter& writer, const ConeFit& fit);

/// Reads what put_networks wrote into a fit that has plan, seed, data and arms already. Safe on
/// bytes from strangers: every size is checked against what the reader has before memory is asked
/// for. Reads to the end; throws Error(kData) where that is not where it should be.
void next_networks(ByteReader& reader, ConeFit& fit);

}  // namespace cone

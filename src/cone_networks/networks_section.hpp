#pragma once

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "cone_networks/cone_fit.hpp"

// The networks in a model file (docs/model_format.md).

namespace cone {

/// Writes features, options, tensors and folds, without what the file stores once (plan, seed,
/// data, arms).
void put_networks(ByteWriter& writer, const ConeFit& fit);

/// Reads what put_networks wrote into a fit that has plan, seed, data and arms already. Safe on
/// untrusted bytes: every size is checked against the length of the file before memory is
/// allocated. Reads to the end; throws Error(kData) where the bytes are not such a section.
void next_networks(ByteReader& reader, ConeFit& fit);

}  // namespace cone

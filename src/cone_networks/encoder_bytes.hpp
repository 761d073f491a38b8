#pragma once

#include <string_view>

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "cone_networks/representation.hpp"
#include "nn/outcome_units.hpp"
#include "nn/parameter_store.hpp"
#include "nuisance/cone_options.hpp"

// The encoder's part of a model file (docs/model_format.md).

namespace cone {

/// The tensors of an encoder. Costs nothing, whatever the sizes: a reader asks before it allocates.
nn::ParameterLayout encoder_layout(std::size_t num_features, const ConeOptions& options);

/// Mean and standard deviation; a reader refuses a deviation that is not more than 0.
void put_outcome_units(ByteWriter& writer, const OutcomeUnits& units);
OutcomeUnits next_outcome_units(ByteReader& reader, std::string_view owner);

/// What is an encoder's own: the units of its outcomes and its weights.
void put_encoder(ByteWriter& writer, const TrainedModel& encoder);
/// Fills the encoder's units and weights in; options, features and checksum are set already.
void next_encoder(ByteReader& reader, TrainedModel& encoder);

}  // namespace cone

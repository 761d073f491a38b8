#pragma once

#include <string_view>

#include "base/byte_reader.hpp"
#include "base/byte_writer.hpp"
#include "nn/parameter_store.hpp"

namespace cone::nn {

/// The tensors of a model as a file lists them: their number (32 bits), then of each the name
/// (length and text), rows and columns (64 bits each).
void put_layout(ByteWriter& writer, const ParameterLayout& layout);

/// Reads such a list, which must be that of `expected`: redundant, so that the error for a file of
/// another architecture names the difference. `owner` names the model in messages.
void require_layout(ByteReader& reader, const ParameterLayout& expected, std::string_view owner);

/// Fills the store with finite numbers, in the order of its layout.
void next_parameters(ByteReader& reader, ParameterStore<float>& parameters, std::string_view owner);

}  // namespace cone::nn

#pragma once

#include <string>

#include "base/byte_reader.hpp"
#include "cone_networks/cone_fit.hpp"
#include "cone_networks/model_format.hpp"

namespace cone {

/// One fold of a model file. The reader must hold shape.num_bytes() more.
ConeFold next_fold(ByteReader& reader, const FoldShape& shape, const ConeOptions& options,
                   const std::string& data_checksum);

}  // namespace cone

#pragma once

#include <string>

#include "cone/base/byte_reader.hpp"
#include "cone/nuisance/cone_fit.hpp"

#include "nuisance/model_format.hpp"

namespace cone {

/// One fold of a model file. The reader must hold shape.num_bytes() more.
ConeFold next_fold(ByteReader& reader, const FoldShape& shape, const ConeOptions& options,
                   const std::string& data_checksum);

}  // namespace cone

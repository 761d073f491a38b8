#pragma once

#include <filesystem>

#include "cone/represent/representation.hpp"

namespace cone {

/// Writes a trained model, atomically, in the format of docs/model_format.md. The same model gives
/// the same bytes. Throws Error(kIo).
void write_model(const std::filesystem::path& path, const TrainedModel& model);

/// Reads what write_model wrote. Safe on files from strangers: every size is checked against the
/// file's length before memory is asked for, the checksum is verified, options must be in their
/// ranges, tensors must be those of the options, numbers must be finite. Throws Error(kData) naming
/// what is wrong. Whether the model belongs to a dataset is for the caller to ask
/// (TrainedModel::data_checksum).
TrainedModel read_model(const std::filesystem::path& path);

}  // namespace cone

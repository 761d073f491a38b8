#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>

#include "cone/evaluate.hpp"

#include "evaluate/fitted_model.hpp"

namespace cone {

/// Writes a model in the format of docs/model_format.md, to a file atomically. The same model gives
/// the same bytes. Throws Error(kIo).
void write_model(const std::filesystem::path& path, const FittedModel& model);

/// Reads what write_model wrote. Safe on untrusted files: every size is checked against the
/// file's length before memory is asked for, the checksum is verified, options must be in their
/// ranges, folds those of the plan, tensors those of the options, numbers finite. Throws
/// Error(kData) naming the file and what is wrong. The caller checks whether the model belongs to a
/// dataset (FittedModel::data_checksum).
FittedModel read_model(const std::filesystem::path& path);
/// The same from the bytes of such a file; `file` is its name in messages.
FittedModel parse_model(std::string_view bytes, const std::string& file);

/// The checksum at the end of the model's file: 32 hexadecimal digits.
std::string model_checksum(const FittedModel& model);

/// What a file holds, as bits of one number.
enum ModelParts : std::uint32_t { kHoldsNetworks = 1, kHoldsNetworkRidge = 2 };

}  // namespace cone

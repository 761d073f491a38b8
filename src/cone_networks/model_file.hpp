#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cone_networks/cone_fit.hpp"

namespace cone {

/// Writes a fit, atomically, in the format of docs/model_format.md. The same fit gives the same
/// bytes. Throws Error(kIo).
void write_model(const std::filesystem::path& path, const ConeFit& fit);

/// Reads what write_model wrote. Safe on files from strangers: every size is checked against the
/// file's length before memory is asked for, the checksum is verified, options must be in their
/// ranges, folds those of the plan, tensors those of the options, numbers finite. Throws
/// Error(kData) naming the file and what is wrong. Whether the fit belongs to a dataset is for the
/// caller to ask (ConeFit::data_checksum).
ConeFit read_model(const std::filesystem::path& path);
/// The same from the bytes of such a file; `file` is its name in messages.
ConeFit parse_model(std::string_view bytes, const std::string& file);

/// The checksum at the end of the fit's model file: 32 hexadecimal digits.
std::string model_checksum(const ConeFit& fit);

}  // namespace cone

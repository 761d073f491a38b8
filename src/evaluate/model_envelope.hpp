#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/byte_reader.hpp"

namespace cone {

inline constexpr std::string_view kModelMagic = "CONEMODL";
inline constexpr std::uint32_t kModelFormat = 4;
inline constexpr std::size_t kChecksumDigits = 32;

/// Verifies magic, version, length and checksum of a model file, in the order in which they make
/// sense to a user. Returns a reader of what lies between the length and the checksum. Throws
/// Error(kData); `file` is its name in messages.
ByteReader verify_envelope(std::string_view whole, const std::string& file);

}  // namespace cone

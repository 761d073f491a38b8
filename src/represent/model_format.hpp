#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// The constants of docs/model_format.md, shared by the writer and the reader.

namespace cone {

inline constexpr std::string_view kModelMagic = "CONEMODL";
inline constexpr std::uint32_t kModelFormat = 1;
inline constexpr std::size_t kChecksumDigits = 32;
inline constexpr std::uint64_t kMaxOptionBytes = 65536;
inline constexpr std::uint32_t kMaxTensors = 1024;
inline constexpr std::uint32_t kMaxNameBytes = 256;
inline constexpr std::uint64_t kMaxFeatures = std::uint64_t{1} << 32;

}  // namespace cone

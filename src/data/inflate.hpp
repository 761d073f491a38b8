#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cone {

/// No deflate stream grows by more than this factor, so a larger declared size is wrong.
inline constexpr std::uint64_t kMaxDeflateRatio = 1032;

/// The first bytes of a zlib stream, `max_bytes` of them or all. Memory grows with the actual
/// output, never with the size that a file declares. Empty where the stream is damaged or
/// truncated.
std::optional<std::string> inflate_prefix(std::string_view compressed, std::size_t max_bytes);

}  // namespace cone

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cone {

/// No deflate stream grows by more than this factor, so a promise beyond it is a lie.
inline constexpr std::uint64_t kMaxDeflateRatio = 1032;

/// The first bytes of a zlib stream, `max_bytes` of them or all there are. Memory follows what
/// comes out of the stream, never what a file promises. Empty where the stream is damaged or ends
/// before it should.
std::optional<std::string> inflate_prefix(std::string_view compressed, std::size_t max_bytes);

}  // namespace cone

#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cone {

/// Parses untrusted JSON text. Throws Error(kData) at `file` and its line for text that is not
/// JSON, a key that an object has twice (the parser would silently keep one), numbers that
/// overflow, and nesting beyond kMaxJsonDepth, which would overflow the stack in copies and
/// comparisons. `advice` completes the message.
inline constexpr int kMaxJsonDepth = 100;
nlohmann::ordered_json parse_json(std::string_view bytes, const std::string& file,
                                  const std::string& advice);

/// The text of a record, indented where `indent` is not negative. Bytes that are not UTF-8, as in
/// file names, become U+FFFD instead of failing the record. Treacherous characters (base/text.hpp)
/// are escaped, so that a record is safe to show on a terminal.
std::string dump_json(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace cone

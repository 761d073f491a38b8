#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cone {

/// JSON text that a user or a stranger may have written. Refuses, by Error(kData) at `file` and
/// its line, what is not JSON, a key that an object names twice (the parser would keep one and say
/// nothing), numbers that overflow, and nesting beyond kMaxJsonDepth, which copying and comparing
/// could not follow. `advice` completes the message.
inline constexpr int kMaxJsonDepth = 100;
nlohmann::ordered_json parse_json(std::string_view bytes, const std::string& file,
                                  const std::string& advice);

/// The text of a record, indented where `indent` is not negative. Bytes that are not UTF-8, as the
/// name of a file may hold, become U+FFFD: they must not cost the record. Treacherous
/// characters (base/text.hpp) are escaped, so that a record may be shown on a terminal.
std::string dump_json(const nlohmann::ordered_json& json, int indent = 2);

}  // namespace cone

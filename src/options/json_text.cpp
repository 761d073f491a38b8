#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"
#include "cone/text.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

struct TooDeep {};

/// Stops the parser at kMaxJsonDepth (it does not recurse and has no limit itself), and notes keys
/// that an object has twice.
class ParserWatch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > kMaxJsonDepth) throw TooDeep();
    if (event == Json::parse_event_t::object_start) {
      open_.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      open_.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second && !repeated_) repeated_ = key;
    }
    return true;
  }
  /// A key that occurs twice in an object.
  const std::optional<std::string>& repeated() const { return repeated_; }

 private:
  std::vector<std::set<std::string>> open_;
  std::optional<std::string> repeated_;
};

std::string escape_code(std::uint32_t code) {
  if (code < 0x10000) return fmt::format("\\u{:04x}", code);
  const std::uint32_t rest = code - 0x10000;  // beyond 16 bits JSON has surrogate pairs
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10U), 0xDC00 + (rest & 0x3FFU));
}

}  // namespace

Json parse_json(std::string_view bytes, const std::string& file, const std::string& advice) {
  const auto fail = [&](const std::string& item, std::string what, std::uint64_t line = 0) {
    throw Error(ErrorCode::kData,
                {{.file = file, .line = line, .item = printable(item)}, std::move(what), advice});
  };
  ParserWatch watch;
  Json json;
  try {
    json = Json::parse(bytes, [&](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::parse_error& error) {
    const auto end =
        bytes.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, bytes.size()));
    fail("", "is not JSON", 1 + static_cast<std::uint64_t>(std::count(bytes.begin(), end, '\n')));
  } catch (const Json::out_of_range&) {
    fail("", "has a number too large to compute with");
  } catch (const TooDeep&) {
    fail("", fmt::format("is nested more than {} levels deep", kMaxJsonDepth));
  }
  if (watch.repeated()) fail(*watch.repeated(), "occurs twice");
  return json;
}

std::string dump_json(const Json& json, int indent) {
  const std::string text = json.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(text.size());
  for (std::string_view rest = text; !rest.empty();) {
    const Character c = first_character(rest);
    // Below U+007F the library has escaped the characters of strings; line ends are its formatting.
    if (c.code >= 0x7F && is_treacherous(c.code)) {
      out += escape_code(c.code);
    } else {
      out += rest.substr(0, c.length);
    }
    rest.remove_prefix(c.length);
  }
  return out;
}

}  // namespace cone

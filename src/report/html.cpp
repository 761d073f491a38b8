#include "report/html.hpp"

#include <cstdint>

namespace cone::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// Code point and length of the first character of `rest`; length 0 where it is not UTF-8.
struct Character {
  std::uint32_t code = 0;
  std::size_t length = 0;
};

Character first_character(std::string_view rest) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(rest[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || rest.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const std::uint32_t least = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || is_surrogate ? Character{} : Character{code, length};
}

/// Characters that a reader cannot see but that change what is read: controls, and marks that turn
/// text around (a name with one would reorder the sentence that it stands in).
bool is_treacherous(std::uint32_t code) {
  const bool is_control = (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F ||
                          (code >= 0x80 && code < 0xA0);
  const bool turns_text = code == 0x200E || code == 0x200F || code == 0x061C ||
                          (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return is_control || turns_text || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

std::string_view entity(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return "";
  }
}

}  // namespace

Html Html::text(std::string_view words) {
  std::string out;
  out.reserve(words.size());
  while (!words.empty()) {
    const Character c = first_character(words);
    if (c.length == 0 || is_treacherous(c.code)) {
      out += kReplacement;
    } else if (const std::string_view name = entity(words[0]); !name.empty()) {
      out += name;
    } else {
      out += words.substr(0, c.length);
    }
    words.remove_prefix(c.length == 0 ? 1 : c.length);
  }
  return Html(std::move(out));
}

}  // namespace cone::report

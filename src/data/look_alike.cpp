#include "data/look_alike.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/composed_letters.hpp"

namespace cone::load {
namespace {

/// The code points of valid UTF-8.
std::u32string decode(std::string_view text) {
  std::u32string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    char32_t point = length == 1 ? first : first & (0xFFU >> (length + 1));
    for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
      point = point << 6U | (static_cast<unsigned char>(text[i + k]) & 0x3FU);
    }
    out.push_back(point);
    i += length;
  }
  return out;
}

/// A base letter, followed by its combining marks if it has any.
void decompose(char32_t point, std::u32string& out) {
  for (const auto& [mark, base, composed] : kComposedLetters) {
    const std::size_t index =
        point > 0xFFFF ? composed.npos : composed.find(static_cast<char16_t>(point));
    if (index == composed.npos) continue;
    decompose(base[index], out);
    out.push_back(mark);
    return;
  }
  out.push_back(point);
}

bool lies_in(char32_t point, char32_t low, char32_t high) { return point >= low && point <= high; }

/// Soft hyphens, joiners, direction marks, variation selectors, byte order marks.
bool is_invisible(char32_t point) {
  return point == 0xAD || point == 0x34F || lies_in(point, 0x200B, 0x200F) ||
         lies_in(point, 0x2060, 0x2064) || lies_in(point, 0xFE00, 0xFE0F) || point == 0xFEFF;
}

bool is_space(char32_t point) {
  return point == ' ' || point == 0xA0 || point == 0x1680 || lies_in(point, 0x2000, 0x200A) ||
         point == 0x202F || point == 0x205F || point == 0x3000;
}

bool is_dash(char32_t point) {
  return lies_in(point, 0x2010, 0x2015) || point == 0x2212 || point == 0x2043;
}

/// Letters of other alphabets with the shape of a Latin one.
struct SameShapes {
  std::u32string_view other;
  std::u32string_view latin;
};
constexpr std::array<SameShapes, 3> kSameShapes = {{
    {U"\u0430\u0435\u043E\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04BB\u0501\u051B\u051D\u04CF",
     U"aeopcyxijshdqwl"},
    {U"\u0410\u0412\u0415\u041A\u041C\u041D\u041E\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u0405",
     U"ABEKMHOPCTYXIJS"},
    {U"\u0391\u0392\u0395\u0396\u0397\u0399\u039A\u039C\u039D\u039F\u03A1\u03A4\u03A5\u03A7\u03BF"
     U"\u03BD\u0131",
     U"ABEZHIKMNOPTYXovi"},
}};

char32_t latin_shape(char32_t point) {
  if (lies_in(point, 0xFF01, 0xFF5E)) return point - 0xFEE0;  // of full width
  if (point == 0x2018 || point == 0x2019) return '\'';
  if (is_dash(point)) return '-';
  for (const auto& [other, latin] : kSameShapes) {
    const std::size_t index = other.find(point);
    if (index != other.npos) return latin[index];
  }
  return point;
}

/// Of Latin, Greek and Cyrillic letters without marks.
char32_t small_letter(char32_t point) {
  if (lies_in(point, 'A', 'Z') || lies_in(point, 0x391, 0x3A9)) return point + 32;
  if (lies_in(point, 0xC0, 0xDE) && point != 0xD7) return point + 32;
  if (lies_in(point, 0x410, 0x42F)) return point + 32;
  if (lies_in(point, 0x400, 0x40F)) return point + 80;
  return point;
}

/// The text without differences that are hard to see (case, invisible characters, kinds of spaces).
/// With `shapes`, letters of other alphabets become the Latin ones that they look like; without,
/// all letters keep their lower-case form.
std::u32string skeleton(std::string_view text, bool shapes) {
  std::u32string letters;
  for (const char32_t point : decode(text)) decompose(point, letters);
  std::u32string out;
  bool has_gap = false;
  for (const char32_t point : letters) {
    if (is_invisible(point)) continue;
    if (is_space(point)) {
      has_gap = !out.empty();
      continue;
    }
    if (std::exchange(has_gap, false)) out.push_back(' ');
    out.push_back(small_letter(shapes ? latin_shape(point) : point));
  }
  return out;
}

std::string name_points(std::u32string_view points) {
  constexpr std::size_t kShown = 4;
  if (points.empty()) return "nothing";
  std::string out;
  for (const char32_t point : points.substr(0, kShown)) {
    out += fmt::format("{}U+{:04X}", out.empty() ? "" : " ", static_cast<std::uint32_t>(point));
  }
  return points.size() > kShown ? out + " ..." : out;
}

}  // namespace

bool look_alike(std::string_view a, std::string_view b) {
  return skeleton(a, true) == skeleton(b, true) || skeleton(a, false) == skeleton(b, false);
}

std::string name_difference(std::string_view a, std::string_view b) {
  const std::u32string whole_a = decode(a);
  const std::u32string whole_b = decode(b);
  std::u32string_view x = whole_a;
  std::u32string_view y = whole_b;
  while (!x.empty() && !y.empty() && x.front() == y.front()) {
    x.remove_prefix(1);
    y.remove_prefix(1);
  }
  while (!x.empty() && !y.empty() && x.back() == y.back()) {
    x.remove_suffix(1);
    y.remove_suffix(1);
  }
  return fmt::format("'{}' has {} where '{}' has {}", printable(a), name_points(x), printable(b),
                     name_points(y));
}

std::vector<std::string> describe_look_alikes(std::span<const std::string> labels) {
  std::vector<std::string> out;
  for (std::size_t a = 0; a < labels.size(); ++a) {
    for (std::size_t b = a + 1; b < labels.size(); ++b) {
      if (labels[a] == labels[b] || !look_alike(labels[a], labels[b])) continue;
      out.push_back(
          fmt::format("two arm labels look alike but differ: {}; if they are the same arm, use one "
                      "spelling",
                      name_difference(labels[a], labels[b])));
    }
  }
  return out;
}

}  // namespace cone::load

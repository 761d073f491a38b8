#include "report/html.hpp"

#include "cone/text.hpp"

namespace cone::report {
namespace {

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
  for (const char c : printable_lines(words)) {
    const std::string_view name = entity(c);
    if (name.empty()) {
      out += c;
    } else {
      out += name;
    }
  }
  return Html(std::move(out));
}

}  // namespace cone::report

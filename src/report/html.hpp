#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace cone::report {

/// Markup that is safe in a page. A string becomes one only by escaping (`Html::text`) or as an
/// argument of `html`, which escapes it, so that names from the data are never markup.
class Html {
 public:
  Html() = default;
  /// Text of any origin: made printable (cone/text.hpp), and & < > " ' escaped.
  static Html text(std::string_view words);
  /// Markup that this library wrote itself.
  static Html trusted(std::string markup) { return Html(std::move(markup)); }

  Html& operator+=(const Html& other) {
    markup_ += other.markup_;
    return *this;
  }
  bool empty() const { return markup_.empty(); }
  const std::string& markup() const { return markup_; }

 private:
  explicit Html(std::string markup) : markup_(std::move(markup)) {}
  std::string markup_;
};

inline std::string_view html_part(const Html& html) { return html.markup(); }
inline std::string html_part(std::string_view words) {
  return std::move(Html::text(words)).markup();
}
template <class T>
requires std::is_arithmetic_v<T> T html_part(T number) { return number; }

template <class T>
using HtmlPart = decltype(html_part(std::declval<const T&>()));

/// fmt::format for markup: the pattern is a literal of ours, arguments are escaped but for Html.
template <class... Args>
Html html(fmt::format_string<HtmlPart<Args>...> pattern, const Args&... args) {
  return Html::trusted(fmt::format(pattern, html_part(args)...));
}

}  // namespace cone::report

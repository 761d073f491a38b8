#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace cone {

/// A number in a text: as fmt writes it, and `otherwise` where it is not finite.
template <class Real>
struct ShownNumber {
  Real value = 0;
  std::string_view otherwise;
};

/// Arguments of fmt::format with every floating-point number as a ShownNumber.
template <class T>
decltype(auto) shown(const T& argument, std::string_view otherwise) {
  if constexpr (std::is_floating_point_v<T>) {
    return ShownNumber<T>{argument, otherwise};
  } else {
    return (argument);
  }
}
template <class T>
using Shown = decltype(shown(std::declval<const T&>(), ""));

}  // namespace cone

template <class Real>
struct fmt::formatter<cone::ShownNumber<Real>> : fmt::formatter<Real> {
  template <class FormatContext>
  auto format(cone::ShownNumber<Real> number, FormatContext& context) const {
    if (std::isfinite(number.value)) return formatter<Real>::format(number.value, context);
    return fmt::format_to(context.out(), "{}", number.otherwise);
  }
};

namespace cone {

/// fmt::format for text that is printed or recorded: never "nan" or "inf", whatever was computed.
template <class... Args>
std::string sentence(fmt::format_string<Shown<Args>...> pattern, const Args&... args) {
  return fmt::format(pattern, shown(args, "–")...);
}

/// The same for lines of CSV files, where a number that is missing is an empty field.
template <class... Args>
std::string csv_line(fmt::format_string<Shown<Args>...> pattern, const Args&... args) {
  return fmt::format(pattern, shown(args, "")...);
}

}  // namespace cone

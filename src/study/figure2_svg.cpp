#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "study/figure2.hpp"

namespace cone {
namespace {

constexpr int kCell = 62;
constexpr int kLeft = 90;
constexpr int kTop = 60;
constexpr int kGap = 60;

/// From pale (small errors) to dark blue (large ones), even in lightness, legible in grey.
struct Shade {
  int red, green, blue;
  bool is_dark;
};

Shade shade(double share) {
  const auto mix = [share](double pale, double dark) {
    return static_cast<int>(std::lround(pale + share * (dark - pale)));
  };
  return {mix(240, 20), mix(247, 60), mix(255, 120), share > 0.55};
}

std::string text_at(double x, double y, const std::string& text, const char* anchor,
                    const char* fill = "#222") {
  return fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" fill="{}">{}</text>)"
                     "\n",
                     x, y, anchor, fill, text);
}

/// One map with its axes; errors are shaded on a logarithmic scale of their own.
std::string heat_map(const Figure2& figure, const ParameterMap& map, double ErrorSummary::*value,
                     const std::string& title, double left, double top) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const auto& row : map.cells) {
    for (const ErrorSummary& cell : row) {
      if (!std::isfinite(cell.*value) || cell.*value <= 0) continue;
      low = std::min(low, cell.*value);
      high = std::max(high, cell.*value);
    }
  }
  const auto count = static_cast<int>(figure.values.size());
  std::string svg = text_at(left + kCell * count / 2.0, top - 14, title, "middle");
  for (int g = 0; g < count; ++g) {
    const auto row = static_cast<std::size_t>(g);
    svg +=
        text_at(left - 8, top + kCell * (g + 0.55), fmt::format("{:g}", figure.values[row]), "end");
    svg += text_at(left + kCell * (g + 0.5), top + kCell * count + 18,
                   fmt::format("{:g}", figure.values[row]), "middle");
    for (int z = 0; z < count; ++z) {
      const double error = map.cells[row][static_cast<std::size_t>(z)].*value;
      const double share = std::isfinite(error) && error > 0 && high > low
                               ? std::log(error / low) / std::log(high / low)
                               : 0;
      const Shade colour = shade(share);
      svg += fmt::format(
          R"svg(<rect x="{}" y="{}" width="{}" height="{}" fill="rgb({},{},{})" stroke="#fff"/>)svg"
          "\n",
          left + kCell * z, top + kCell * g, kCell, kCell, colour.red, colour.green, colour.blue);
      svg += text_at(left + kCell * (z + 0.5), top + kCell * (g + 0.55),
                     std::isfinite(error) ? fmt::format("{:.3f}", error) : "-", "middle",
                     colour.is_dark ? "#fff" : "#222");
    }
  }
  svg += text_at(left + kCell * count / 2.0, top + kCell * count + 36, "zeta", "middle");
  svg += text_at(left - 8, top - 14, "gamma", "end");
  return svg;
}

}  // namespace

std::string figure2_svg(const Figure2& figure) {
  const int side = kCell * static_cast<int>(figure.values.size());
  const int width = kLeft + side + kGap + kLeft + side + kGap / 2;
  const int height = static_cast<int>(figure.maps.size()) * (kTop + side + kGap);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
      R"(font-family="sans-serif" font-size="13">)"
      "\n",
      width, height);
  svg += R"(<rect width="100%" height="100%" fill="#fff"/>)"
         "\n";
  double top = kTop;
  for (const ParameterMap& map : figure.maps) {
    svg += heat_map(figure, map, &ErrorSummary::rmse, map.setting + ": RMSE", kLeft, top);
    svg += heat_map(figure, map, &ErrorSummary::mae, map.setting + ": MAE",
                    kLeft + side + kGap + kLeft, top);
    top += kTop + side + kGap;
  }
  return svg + "</svg>\n";
}

}  // namespace cone

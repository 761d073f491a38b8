#pragma once

#include <algorithm>
#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/options.hpp"
#include "cone/text.hpp"

namespace cone {

/// The values to try of one option, as a user writes them.
struct GridAxis {
  std::string name;
  std::vector<std::string> values;
};

/// Sets the option of that name. False where the text is not a value of its type (or there is no
/// such option); ranges are not checked.
template <class Options>
bool set_option(Options& options, std::string_view name, std::string_view text) {
  bool is_set = false;
  Options::visit(
      options, [&]<class T>(std::string_view field, T& value, std::string_view, const Range& = {}) {
        if (field == name) is_set = parse_option(text, value);
      });
  return is_set;
}

/// More points than anyone can wait for; keeps a typing error from exhausting the memory.
inline constexpr std::size_t kMaxGridPoints = 100'000;

/// Every combination of the axes' values, the others as in `base`; the last axis varies fastest.
/// Throws Error(kUsage) listing every value that is unreadable, out of range or repeated.
template <class Options>
std::vector<Options> expand_grid(const Options& base, std::span<const GridAxis> axes) {
  std::vector<Fault> faults;
  std::vector<Options> points = {base};
  for (const GridAxis& axis : axes) {
    const std::string flag = flag_name(axis.name);
    std::set<std::string> seen;
    std::vector<Options> wider;
    for (const std::string& text : axis.values) {
      Options trial = base;
      if (!set_option(trial, axis.name, text)) {
        faults.push_back({{.item = flag},
                          fmt::format("'{}' is not a valid value", printable(text)),
                          "give values separated by commas, such as 0.1,1"});
      } else if (std::vector<Fault> bad = option_faults(trial); !bad.empty()) {
        faults.insert(faults.end(), bad.begin(), bad.end());
      } else if (!seen.insert(canonical_text(trial)).second) {
        faults.push_back({{.item = flag}, fmt::format("{} occurs twice", text), "give it once"});
      }
    }
    if (!faults.empty()) continue;  // looks for further faults only
    if (points.size() * axis.values.size() > kMaxGridPoints) {
      throw Error(ErrorCode::kUsage,
                  {{},
                   fmt::format("the grid has more than {} points", kMaxGridPoints),
                   "try fewer values"});
    }
    for (const Options& point : points) {
      for (const std::string& text : axis.values) {
        set_option(wider.emplace_back(point), axis.name, text);
      }
    }
    points = std::move(wider);
  }
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
  return points;
}

}  // namespace cone

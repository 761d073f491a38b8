#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace cone::report {

using Range = std::pair<double, double>;

inline constexpr std::string_view kNoNumber = "–";

/// Four significant digits: "0.2315", "1.2e-05"; kNoNumber where it is not finite.
std::string number_text(double value);
/// With a sign.
std::string signed_text(double value);
/// "[0.1, 0.2]"
std::string range_text(const Range& range);
std::string percent_text(double share);
/// "12,345" of a count that a record holds.
std::string count_text(double count);
/// "0.023", "< 0.001"
std::string p_text(double p);

bool is_finite(const Range& range);

}  // namespace cone::report

#pragma once

#include <string>

namespace cone {

/// 0.123 → "12.3 %". A number that rounds to zero has no sign: never "-0.0 %".
std::string share_in_percent(double share, int decimals = 1);

/// Four significant digits, and all digits before the point: 0.1235, 1000000. An exponent only
/// where the digits would be too many to read.
std::string readable_number(double value);

}  // namespace cone

#pragma once

#include <string>

namespace cone {

/// "12.3 %" of 0.123. What rounds to nothing has no sign: never "-0.0 %".
std::string share_in_percent(double share, int decimals = 1);

/// Four digits, and of large numbers all before the point: 0.1235, 1000000. An exponent only where
/// the digits would be too many to read.
std::string readable_number(double value);

}  // namespace cone

#pragma once

#include <string>

#include "cone/error.hpp"

namespace cone {

/// Throws Error(kData) with one fault.
[[noreturn]] void fail_data(const Place& place, std::string what, std::string advice);

/// The same for bytes that do not follow their format, whatever the reason.
[[noreturn]] void fail_damaged(const Place& place, const std::string& what);

}  // namespace cone

#pragma once

#include <string_view>

namespace cone {

/// Part of every run's identity.
inline constexpr std::string_view kVersion = CONE_VERSION;

}  // namespace cone

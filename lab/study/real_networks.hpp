#pragma once

#include <array>
#include <filesystem>
#include <string_view>

namespace cone {

/// One of the two networks of Guo, Li and Liu (2020), as published.
struct RealNetwork {
  std::string_view name;
  std::string_view file;
  std::string_view sha256;
  std::size_t top_words;  ///< per topic, for the reduced vocabulary
};

inline constexpr std::array<RealNetwork, 2> kRealNetworks = {
    RealNetwork{"BlogCatalog", "BlogCatalog.mat",
                "886e1d8dec043588247ef7188fe6459f2ba657b6b9211d73f255d28b42f06b0c", 100},
    RealNetwork{"Flickr", "Flickr.mat",
                "1493f3f261395b232dd37845beae9215c0abccc9d63902a3cc0af7fd4f0972cd", 25}};

/// Throws Error(kData) listing what is missing and where it is published.
void require_real_networks(const std::filesystem::path& folder);

}  // namespace cone

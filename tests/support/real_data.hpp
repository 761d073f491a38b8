#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

namespace cone::testing {

/// A file of the public datasets, which are not part of the project: looked for in $CONE_DATA_DIR,
/// then in shared/data beside the checkout. Tests skip where it is in neither:
///
///   const auto path = find_real_data("Flickr.mat");
///   if (!path) GTEST_SKIP() << real_data_advice("Flickr.mat");
inline std::optional<std::filesystem::path> find_real_data(const std::string& name) {
  std::filesystem::path folder = std::filesystem::path(CONE_SOURCE_DIR) / "../shared/data";
  if (const char* chosen = std::getenv("CONE_DATA_DIR"); chosen != nullptr) {
    if (std::filesystem::exists(std::filesystem::path(chosen) / name)) folder = chosen;
  }
  if (!std::filesystem::exists(folder / name)) return std::nullopt;
  return folder / name;
}

inline std::string real_data_advice(const std::string& name) {
  return name + " is neither in $CONE_DATA_DIR nor in ../shared/data beside the checkout; set " +
         "CONE_DATA_DIR to the folder that holds it to run this test";
}

}  // namespace cone::testing
